import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, refuse, server } from '@/test/server'

const ADDRESS = `/hosts/${make.HOST_ID}`
const TITLE = 'Demo: one stripe over two controllers'
const SECOND_CONTROLLER = '00000000-0000-4000-8000-0000000000c1'
const RIGHT_ID = '00000000-0000-4000-8000-0000000000f1'
const VERSION = { version: '0.1.0', protocol: 1, server_id: 's' }

const second = make.controller({ id: SECOND_CONTROLLER, path: '/c1' })
const drives = [
  make.drive(4),
  make.drive(5),
  make.drive(6, { controller_id: SECOND_CONTROLLER, path: '/c1/e252/s6' }),
]
const left = make.virtualDrive({ name: 'x25e-0' })
const right = make.virtualDrive({
  id: RIGHT_ID,
  controller_id: SECOND_CONTROLLER,
  path: '/c1/v0',
  name: 'x25e-1',
})

const made = (id: string) => make.command({ objects: [{ kind: 'virtual_drive', id, key: 'v0' }] })

// All drives are taken: that is no obstacle to the stripe, nor to a removal.
const taken = { vd_create: make.reason('no_drives', 'There is no free drive.') }

const panel = async () => within(await screen.findByRole('region', { name: TITLE }))

describe('the scenario of the demo', () => {
  beforeEach(() =>
    server.use(
      get('/version', { ...VERSION, demo: true }),
      list('/controllers', [make.controller(), second]),
      list('/drives', drives),
      list('/virtual-drives', []),
      http.post('http://localhost/api/v1/virtual-drives/preview', () =>
        HttpResponse.json(make.preview() as never),
      ),
    ),
  )

  it('builds a RAID 0 on each controller and a stripe over both', async () => {
    const bodies: unknown[] = []
    const stripe = record('post', '/virtual-drives/:id/actions/create-stripe', make.command())
    server.use(
      http.post('http://localhost/api/v1/virtual-drives', async ({ request }) => {
        bodies.push(await request.json())
        return HttpResponse.json(made(bodies.length === 1 ? left.id : right.id) as never)
      }),
      stripe.handler,
    )
    const { user } = renderApp(ADDRESS)
    await user.click((await panel()).getByRole('button', { name: 'Build all of it' }))
    expect(await screen.findByText('The stripe over both controllers is built.')).toBeVisible()
    const digest = make.preview().plan_digest
    expect(bodies).toMatchObject([
      { name: 'x25e-0', level: 'raid0', drive_ids: [drives[0]?.id, drives[1]?.id] },
      { name: 'x25e-1', level: 'raid0', drive_ids: [drives[2]?.id], plan_digest: digest },
    ])
    expect(stripe.requests[0]?.body).toEqual({
      name: 'x25e',
      virtual_drive_ids: [RIGHT_ID],
      force: false,
    })
  })

  it('goes on where it was, and shows why it cannot', async () => {
    server.use(
      list('/virtual-drives', [left, right]),
      list('/controllers', [make.controller({ blocked: taken }), second]),
      refuse('post', '/virtual-drives/:id/actions/create-stripe', 409, 'stripe_has_data', 'Data!'),
    )
    const { user } = renderApp(ADDRESS)
    const scenario = await panel()
    expect(scenario.getAllByText('Built')).toHaveLength(2)
    await user.click(scenario.getByRole('button', { name: 'Build the rest' }))
    expect(await scenario.findByText('Data!')).toBeVisible()
  })

  it('is removed with the typed name, all that is there of it', async () => {
    server.use(list('/virtual-drives', [right]), get('/virtual-drives/:id', right))
    const remove = record('delete', '/virtual-drives/:id', make.command())
    server.use(remove.handler)
    const { user } = renderApp(ADDRESS)
    await user.click((await panel()).getByRole('button', { name: 'Remove it again …' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('All data on x25e-1 are lost for good.')).toBeVisible()
    await user.type(dialog.getByRole('textbox'), 'x25e{Enter}')
    expect(await screen.findByText(/of the demo are removed/)).toBeVisible()
    expect(remove.requests.map(({ body }) => body)).toEqual([{ confirm: 'x25e-1', force: false }])
  })

  it('is nowhere but in the demo', async () => {
    server.use(get('/version', { ...VERSION, demo: false }))
    renderApp(ADDRESS)
    expect(await screen.findByRole('heading', { name: 'Drive bays' })).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('region', { name: TITLE })).toBeNull())
  })
})
