import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Stripe, VirtualDrive } from '@/api/types'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, recordEnd, server } from '@/test/server'

const KEY = '5f1c8a52-0000-4000-8000-000000000001'
const STRIPE_PAGE = `/hosts/${make.HOST_ID}/stripes/${KEY}`
const CREATE_PAGE = `/hosts/${make.HOST_ID}/create-stripe`
const CREATE = '/virtual-drives/:id/actions/create-stripe'
const REMOVE = '/virtual-drives/:id/actions/delete-stripe'

function stripe(position: number, part: Partial<Stripe> = {}): Stripe {
  return {
    key: KEY,
    name: 'wide',
    state: 'optimal',
    position,
    member_count: 2,
    members_found: 2,
    strip_bytes: 65_536,
    member_bytes: 12_000_000_000,
    size_bytes: 24_000_000_000,
    exports: [{ kind: 'nbd_unix', uri: 'nbd+unix:///wide?socket=/run/nbd.sock', connections: 0 }],
    ...part,
  }
}

const SECOND_CONTROLLER = '00000000-0000-4000-8000-0000000000c1'

function left(part: Partial<VirtualDrive> = {}): VirtualDrive {
  return make.virtualDrive({ name: 'left', ...part })
}

function right(part: Partial<VirtualDrive> = {}): VirtualDrive {
  return make.virtualDrive({
    id: '00000000-0000-4000-8000-0000000000f1',
    controller_id: SECOND_CONTROLLER,
    path: '/c1/v0',
    name: 'right',
    ...part,
  })
}

const joined = (of: typeof left, position: number, part: Partial<Stripe> = {}) =>
  of({ exports: [], stripe: stripe(position, part) })

beforeEach(() =>
  server.use(
    list('/controllers', [
      make.controller(),
      make.controller({ id: SECOND_CONTROLLER, path: '/c1', model: 'Second controller' }),
    ]),
  ),
)

describe('a stripe', () => {
  beforeEach(() => server.use(list('/virtual-drives', [joined(right, 1), joined(left, 0)])))

  it('is on the page of its host, as are its members', async () => {
    renderApp(`/hosts/${make.HOST_ID}`)
    const panel = within(await screen.findByRole('region', { name: 'Stripes over virtual drives' }))
    expect(panel.getByRole('link', { name: 'wide' })).toHaveAttribute('href', STRIPE_PAGE)
    expect(panel.getByText('over left, right')).toBeVisible()
    expect(screen.getAllByText(/^member of stripe/)).toHaveLength(2)
  })

  it('shows its members in their order, what is guaranteed, and how to use it', async () => {
    renderApp(STRIPE_PAGE)
    expect(await screen.findByRole('heading', { level: 1, name: 'wide' })).toBeVisible()
    const table = within(screen.getByRole('table', { name: 'Members' }))
    const [, first, second] = table.getAllByRole('row')
    expect(first).toHaveTextContent(/^1.*left.*\/c0\/v0/)
    expect(second).toHaveTextContent(/^2.*right.*\/c1\/v0/)
    expect(screen.getByText('24 GB')).toBeVisible()
    expect(screen.getByText(/A stripe adds no redundancy/)).toBeVisible()
    expect(screen.getByText('After a flush they are on the drives.')).toBeVisible()
    expect(screen.getByText('nbd+unix:///wide?socket=/run/nbd.sock')).toBeVisible()
  })

  it('is deleted with its typed name', async () => {
    const remove = record('post', REMOVE, make.command({ op: 'stripe_delete' }))
    server.use(remove.handler)
    const { user, router } = renderApp(STRIPE_PAGE)
    await user.click(await screen.findByRole('button', { name: 'Delete …' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete stripe wide' }))
    expect(dialog.getByText(/can no longer be read/)).toBeVisible()
    expect(dialog.queryByRole('checkbox')).toBeNull()
    const field = dialog.getByRole('textbox', { name: 'Name of the stripe' })
    await user.type(field, 'left{Enter}')
    expect(remove.requests).toHaveLength(0)
    await user.clear(field)
    await user.type(field, 'wide{Enter}')
    expect(await screen.findByText('Stripe wide is deleted.')).toBeVisible()
    expect(remove.requests[0]?.body).toEqual({ confirm: 'wide', force: false })
    expect(remove.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
    expect(router.state.location.pathname).toBe(`/hosts/${make.HOST_ID}`)
  })

  it('says what stands in the way of a deletion, and only then offers force', async () => {
    const reason = make.reason('virtual_drive_in_use', 'wide has 2 open connections.')
    const refused = recordEnd('post', REMOVE, make.command({ state: 'refused', reason }))
    server.use(refused.handler)
    const { user } = renderApp(STRIPE_PAGE)
    await user.click(await screen.findByRole('button', { name: 'Delete …' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox'), 'wide{Enter}')
    expect(await dialog.findByText('wide has 2 open connections.')).toBeVisible()
    await user.click(dialog.getByRole('checkbox'))
    await user.click(dialog.getByRole('button', { name: 'Delete stripe wide' }))
    expect(refused.requests[1]?.body).toEqual({ confirm: 'wide', force: true })
  })
})

it('names the member that is missing from a stripe', async () => {
  const alone = joined(right, 1, { state: 'incomplete', members_found: 1, exports: [] })
  server.use(list('/virtual-drives', [alone]))
  renderApp(STRIPE_PAGE)
  const table = within(await screen.findByRole('table', { name: 'Members' }))
  expect(table.getByRole('row', { name: /^1 not here/ })).toBeVisible()
  expect(screen.getAllByText('Incomplete')).not.toHaveLength(0)
  expect(screen.getByText('It is not exported while it is incomplete or offline.')).toBeVisible()
})

it('says so when there is no such stripe', async () => {
  renderApp(STRIPE_PAGE)
  expect(await screen.findByText('There is no such stripe on this host')).toBeVisible()
})

it('is what the page of a member leads to', async () => {
  server.use(get('/virtual-drives/:id', joined(left, 0)))
  const { user } = renderApp(`/virtual-drives/${make.VIRTUAL_DRIVE_ID}`)
  expect(await screen.findByRole('link', { name: 'wide' })).toHaveAttribute('href', STRIPE_PAGE)
  await user.click(screen.getByRole('tab', { name: 'Use it' }))
  expect(screen.getByText('It is not exported on its own: use the stripe.')).toBeVisible()
  expect(screen.queryByText(/agent’s configuration decides about exports/)).toBeNull()
})

describe('creating a stripe', () => {
  const taken = make.reason('stripe_member', 'Virtual drive old is part of the stripe other.')
  const old = make.virtualDrive({
    id: '00000000-0000-4000-8000-0000000000f2',
    path: '/c0/v1',
    name: 'old',
    blocked: { stripe_create: taken },
  })

  async function choose() {
    server.use(
      list('/virtual-drives', [left(), right(), old]),
      get('/virtual-drives/:id', joined(right, 0)),
    )
    const view = renderApp(CREATE_PAGE)
    await view.user.click(await screen.findByRole('checkbox', { name: /^right/ }))
    await view.user.click(screen.getByRole('checkbox', { name: /^left/ }))
    await view.user.type(screen.getByRole('textbox', { name: 'Name' }), 'wide')
    return view
  }

  it('joins what was chosen, in that order, and opens it', async () => {
    const create = record('post', CREATE, make.command({ op: 'stripe_create' }))
    server.use(create.handler)
    const { user, router } = await choose()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Strip size' }), '131072')
    server.use(list('/virtual-drives', [joined(right, 0), joined(left, 1)]))
    await user.click(screen.getByRole('button', { name: 'Create wide' }))
    expect(await screen.findByText('Stripe wide is created.')).toBeVisible()
    expect(await screen.findByRole('heading', { level: 1, name: 'wide' })).toBeVisible()
    expect(create.requests[0]?.body).toEqual({
      name: 'wide',
      virtual_drive_ids: [make.VIRTUAL_DRIVE_ID],
      strip_bytes: 131_072,
      force: false,
    })
    expect(router.state.location.pathname).toBe(STRIPE_PAGE)
  })

  it('says of each virtual drive why it cannot be a member', async () => {
    await choose()
    const checkbox = screen.getByRole('checkbox', { name: /^old/ })
    expect(checkbox).toBeDisabled()
    expect(screen.getByText('Virtual drive old is part of the stripe other.')).toBeVisible()
  })

  it('gives up what is on the members only with a typed name, after the host has said so', async () => {
    const reason = make.reason('stripe_has_data', 'Virtual drive left carries data.')
    const refused = recordEnd('post', CREATE, make.command({ state: 'refused', reason }))
    server.use(refused.handler)
    const { user } = await choose()
    await user.click(screen.getByRole('button', { name: 'Create wide' }))
    expect(await screen.findByText('Virtual drive left carries data.')).toBeVisible()
    const button = screen.getByRole('button', { name: 'Create wide' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    await user.type(screen.getByRole('textbox', { name: 'Name of the first member' }), 'right')
    await user.click(screen.getByRole('button', { name: 'Create wide' }))
    expect(refused.requests[1]?.body).toMatchObject({ force: true, confirm: 'right' })
  })

  it('does not offer force for any other refusal', async () => {
    const reason = make.reason('name_taken', 'The name wide is taken.')
    const refused = recordEnd('post', CREATE, make.command({ state: 'refused', reason }))
    server.use(refused.handler)
    const { user } = await choose()
    await user.click(screen.getByRole('button', { name: 'Create wide' }))
    expect(await screen.findByText('The name wide is taken.')).toBeVisible()
    expect(screen.queryByRole('textbox', { name: 'Name of the first member' })).toBeNull()
  })
})
