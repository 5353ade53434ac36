import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { formatDateTime } from '@/lib/format'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, refuse, server } from '@/test/server'

const VIRTUAL_DRIVE = `/virtual-drives/${make.VIRTUAL_DRIVE_ID}`
const PAGES = [
  ['virtual drive', VIRTUAL_DRIVE, '/virtual-drives/:id', 'This virtual drive no longer exists'],
  [
    'drive group',
    `/drive-groups/${make.GROUP_ID}`,
    '/drive-groups/:id',
    'This drive group no longer exists',
  ],
  [
    'drive',
    `/drives/${make.driveId(0)}`,
    '/drives/:id',
    'This drive is no longer part of its host',
  ],
  [
    'battery',
    `/batteries/${make.BATTERY_ID}`,
    '/batteries/:id',
    'This battery is no longer part of its host',
  ],
  [
    'cache of a controller',
    `/controllers/${make.CONTROLLER_ID}/cache`,
    '/controllers/:id',
    'This controller is no longer part of its host',
  ],
  [
    'list of what a controller can restore',
    `/controllers/${make.CONTROLLER_ID}/undo`,
    '/controllers/:id',
    'This controller is no longer part of its host',
  ],
  [
    'search for foreign configurations',
    `/controllers/${make.CONTROLLER_ID}/foreign`,
    '/controllers/:id',
    'This controller is no longer part of its host',
  ],
] as const

const UNDO = '/controllers/:id/undo'
const noSuch = (path: string) => refuse('get', path, 404, 'not_found', 'There is no such object.')

const deleted = {
  ...make.event(7),
  name: 'virtual_drive_deleted',
  at: '2026-11-20T10:00:00Z',
  text: 'Deleted archive',
  params: { virtual_drive: 'archive' },
}
const saved = {
  undo: 3,
  kind: 'drive_group',
  name: 'archive',
  who: 'root by arrayctl',
  saved_at: '2026-11-20T10:00:00Z',
  until: '2026-11-27T10:00:00Z',
  refusal: null,
  drives: [{ drive_id: make.driveId(0), serial: 'S0', refusal: null }],
}

describe('an object that goes away while its page is open', () => {
  it.each(PAGES)('leaves nothing of a %s on its page', async (_, page, path, title) => {
    const foreign = get('/controllers/:id/foreign', { sets: [], damaged: [] })
    server.use(get(UNDO, { items: [] }), foreign, list('/events', []))
    const { client } = renderApp(page)
    const name = (await screen.findByRole('heading', { level: 1 })).textContent
    server.use(noSuch(path))
    await client.invalidateQueries()
    expect(await screen.findByText(title)).toBeVisible()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(name)
    expect(screen.getByRole('link', { name: /^Go to host/ })).toBeVisible()
    const headings = screen.getAllByRole('heading', { level: 2 })
    expect(headings.map((each) => each.textContent)).toEqual(['Recent events'])
  })

  it.each(['', '/create', '/create-stripe', '/stripes/s'])(
    'leads to the fleet, if it is a host (%s)',
    async (page) => {
      const { client } = renderApp(`/hosts/${make.HOST_ID}${page}`)
      await screen.findByRole('heading', { level: 1 })
      server.use(noSuch('/hosts/:id'))
      await client.invalidateQueries()
      expect(await screen.findByText('This host is no longer managed here')).toBeVisible()
      expect(screen.getByRole('link', { name: 'Go to the fleet' })).toBeVisible()
      expect(screen.queryByRole('button', { name: 'Create virtual drive' })).toBeNull()
    },
  )

  it.each([
    ['virtual drive', VIRTUAL_DRIVE, '/virtual-drives/:id'],
    ['drive group', `/drive-groups/${make.GROUP_ID}`, '/drive-groups/:id'],
  ])('can be restored where it was shown, if it is a %s', async (_, page, path) => {
    const restored = record(
      'post',
      '/controllers/:id/actions/restore-undo',
      make.command({ op: 'undo_restore' }),
    )
    const other = { ...saved, undo: 4, name: 'other', drives: [] }
    server.use(get(UNDO, { items: [other, saved] }), restored.handler)
    const { client, user } = renderApp(page)
    await screen.findByRole('heading', { level: 1 })
    server.use(noSuch(path))
    await client.invalidateQueries()
    await user.click(await screen.findByRole('button', { name: 'Restore archive …' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Restore archive' }))
    expect(await screen.findByText('archive restored.')).toBeVisible()
    expect(restored.requests[0]?.body).toEqual({ undo: 3 })
  })
})

describe('an old link to an object', () => {
  it('says what it was, when it was deleted, and where', async () => {
    server.use(noSuch('/virtual-drives/:id'), list('/events', [deleted]))
    renderApp(VIRTUAL_DRIVE)
    const time = formatDateTime(deleted.at)
    expect(await screen.findByText(`This virtual drive was deleted on ${time}`)).toBeVisible()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Virtual drive archive')
    expect(screen.getByRole('link', { name: `Go to host ${deleted.host_name}` })).toBeVisible()
  })

  it('leads nowhere, if nothing is known of it', async () => {
    server.use(noSuch('/virtual-drives/:id'), list('/events', []))
    renderApp(VIRTUAL_DRIVE)
    expect(await screen.findByText('There is nothing here')).toBeVisible()
  })
})
