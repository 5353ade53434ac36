import { act, screen, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'
import { get, record, refuse, server } from '@/test/server'

const ADDRESS = `/controllers/${make.CONTROLLER_ID}/foreign`
const FOREIGN = '/controllers/:id/foreign'
const IMPORT = '/controllers/:id/actions/import-foreign'

const driveId = (slot: number) => make.drive(slot).id

const archive = {
  format: 'ddf',
  id: 'ab'.repeat(24),
  version: '01.02.00',
  sequence: 7,
  name: 'archive',
  origin: 'Linux-MD lake',
  digest: 'cd'.repeat(32),
  outcome: 'degraded',
  refusal: null,
  drive_ids: [driveId(4), driveId(5), driveId(6)],
  drives: [
    { drive_id: driveId(4), sequence: 7, state: 'online', outcome: 'member' },
    { drive_id: driveId(5), sequence: 7, state: 'online', outcome: 'member' },
    { drive_id: driveId(6), sequence: 3, state: 'stale', outcome: 'left' },
  ],
  virtual_drives: [
    {
      name: 'data',
      level: 'RAID5',
      size_bytes: 2_000_000_000,
      strip_bytes: 65_536,
      consistent: true,
      state: 'degraded',
      reason: make.reason('foreign_degraded', 'Not all of its drives are there and in sync.'),
      outcome: 'degraded',
      imported_as: 'data_1',
      target_id: 1,
      members: [
        { drive_id: driveId(4), serial: 'S4', state: 'online', outcome: 'member' },
        { drive_id: driveId(5), serial: 'S5', state: 'online', outcome: 'member' },
        { drive_id: driveId(6), serial: 'S6', state: 'stale', outcome: 'left' },
        { drive_id: null, serial: 'S-GONE', state: 'missing', outcome: 'missing' },
      ],
    },
  ],
}

const broken = {
  ...archive,
  id: 'ef'.repeat(24),
  name: 'broken',
  outcome: 'refused',
  refusal: make.reason('foreign_incomplete', 'Too many of its drives are missing.'),
  drive_ids: [driveId(7)],
  drives: [{ drive_id: driveId(7), sequence: 2, state: 'online', outcome: 'left' }],
  virtual_drives: [],
}

const second = { ...archive, id: '12'.repeat(24), name: 'second', digest: '34'.repeat(32) }

describe('foreign configurations', () => {
  it('tells a set that was being resynchronized from one in step', async () => {
    const volumes = archive.virtual_drives.map((volume) => ({
      ...volume,
      state: 'optimal',
      consistent: false,
    }))
    server.use(get(FOREIGN, { sets: [{ ...archive, virtual_drives: volumes }], damaged: [] }))
    renderApp(ADDRESS)
    const table = await screen.findByRole('table', { name: 'Virtual drives of archive' })
    expect(
      within(table).getByRole('row', { name: /Optimal, redundancy out of step Degraded/ }),
    ).toBeVisible()
  })

  it('shows what an import would make of each virtual drive and drive', async () => {
    server.use(get(FOREIGN, { sets: [archive], damaged: [] }))
    renderApp(ADDRESS)
    const volumes = await screen.findByRole('table', { name: 'Virtual drives of archive' })
    expect(
      within(volumes).getByRole('row', { name: /data RAID5 2 GB Degraded Degraded data_1/ }),
    ).toBeVisible()
    const drives = screen.getByRole('table', { name: 'Drives of archive' })
    expect(within(drives).getByRole('row', { name: /Out of date Left as it is/ })).toBeVisible()
    expect(within(drives).getByRole('row', { name: /Not there S-GONE Missing/ })).toBeVisible()
    expect(screen.getByText('Linux-MD lake')).toBeVisible()
  })

  it('imports what was looked at, after saying what comes of it', async () => {
    const imported = record('post', IMPORT, make.command({ op: 'foreign_import' }))
    server.use(get(FOREIGN, { sets: [archive], damaged: [] }), imported.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Import archive' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('data is called data_1 here.')).toBeVisible()
    expect(dialog.getByText(/One of its drives is left as it is/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Import archive' }))
    expect(await screen.findByText('archive imported.')).toBeVisible()
    expect(imported.requests[0]?.body).toEqual({ set: archive.id, digest: archive.digest })
  })

  it('says what becomes of a set that Linux itself has made, before it is taken over', async () => {
    const becomes = 'Its data stay where they are. The md superblocks are taken off.'
    const ofLinux = {
      ...archive,
      format: 'md',
      version: '1.2',
      name: 'lake:data',
      origin: 'Linux md',
      outcome: 'optimal',
      virtual_drives: archive.virtual_drives.map((volume) => ({
        ...volume,
        reason: make.reason('foreign_md_becomes', becomes),
      })),
    }
    const imported = record('post', IMPORT, make.command({ op: 'foreign_import' }))
    server.use(get(FOREIGN, { sets: [ofLinux], damaged: [] }), imported.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Import lake:data' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(becomes)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Import lake:data' }))
    expect(await screen.findByText('lake:data imported.')).toBeVisible()
    expect(imported.requests[0]?.body).toEqual({ set: ofLinux.id, digest: ofLinux.digest })
  })

  it.each(['ddf', 'md'])(
    'clears a set (%s) whose name was typed, and says that it can be undone',
    async (format) => {
      const cleared = record(
        'post',
        '/controllers/:id/actions/clear-foreign',
        make.command({ op: 'foreign_clear' }),
      )
      server.use(get(FOREIGN, { sets: [{ ...archive, format }], damaged: [] }), cleared.handler)
      const { user } = renderApp(ADDRESS)
      await user.click(await screen.findByRole('button', { name: 'Clear archive' }))
      const dialog = within(await screen.findByRole('dialog'))
      expect(dialog.getByText(/can be restored for seven days at least/)).toBeVisible()
      const typed = dialog.getByRole('textbox', { name: 'Name of the set' })
      await user.type(typed, 'archiv')
      await user.click(dialog.getByRole('button', { name: 'Clear archive' }))
      expect(cleared.requests).toHaveLength(0)
      await user.type(typed, 'e')
      await user.click(dialog.getByRole('button', { name: 'Clear archive' }))
      expect(await screen.findByText('archive cleared.')).toBeVisible()
      expect(cleared.requests[0]?.body).toEqual({
        set: archive.id,
        digest: archive.digest,
        confirm: 'archive',
      })
    },
  )

  it('imports all that can be, one after the other', async () => {
    const imported = record('post', IMPORT, make.command({ op: 'foreign_import' }))
    server.use(get(FOREIGN, { sets: [archive, broken, second], damaged: [] }), imported.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Import all …' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Import 2 sets' }))
    expect(await screen.findByText('archive, second imported.')).toBeVisible()
    expect(imported.requests.map(({ body }) => (body as { set: string }).set)).toEqual([
      archive.id,
      second.id,
    ])
  })

  it('does not offer what the host refuses, and says why', async () => {
    server.use(get(FOREIGN, { sets: [broken], damaged: [] }))
    renderApp(ADDRESS)
    const button = await screen.findByRole('button', { name: 'Import broken' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    expect(button).toHaveAccessibleDescription('Too many of its drives are missing.')
  })

  it('tells drives with damaged metadata', async () => {
    const why = make.reason('foreign_damaged', 'Its metadata cannot be believed: header')
    server.use(get(FOREIGN, { sets: [], damaged: [{ drive_id: driveId(6), reason: why }] }))
    renderApp(ADDRESS)
    const table = await screen.findByRole('table', { name: 'Drives with damaged metadata' })
    expect(within(table).getByRole('row', { name: /cannot be believed/ })).toBeVisible()
  })

  it('shows the refusal of a set that has changed meanwhile', async () => {
    server.use(
      get(FOREIGN, { sets: [archive], damaged: [] }),
      refuse('post', IMPORT, 409, 'foreign_changed', 'Look at it again.'),
    )
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Import archive' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Import archive' }))
    expect(await dialog.findByText('Look at it again.')).toBeVisible()
  })

  it('looks by itself when the host is back', async () => {
    server.use(
      get('/hosts/:id', make.host({ online: false, stale_since: make.TIME })),
      refuse('get', FOREIGN, 409, 'host_offline', 'The host is offline.'),
    )
    renderApp(ADDRESS)
    expect(await screen.findByText('The host is offline.')).toBeVisible()
    server.use(
      get('/hosts/:id', make.host({ rev: 2 })),
      get(FOREIGN, { sets: [archive], damaged: [] }),
    )
    act(() => {
      FakeEventSource.last.say('ready', { stream: 's', topics: ['all'] })
      FakeEventSource.last.say('change', { changes: [{ kind: 'host', id: make.HOST_ID, rev: 2 }] })
    })
    expect(await screen.findByRole('table', { name: 'Virtual drives of archive' })).toBeVisible()
  })

  it('is empty when nobody else has been here', async () => {
    let asked = 0
    server.use(
      http.get('http://localhost/api/v1/controllers/:id/foreign', () => {
        asked += 1
        return HttpResponse.json({ sets: [], damaged: [] })
      }),
    )
    const { user } = renderApp(ADDRESS)
    expect(await screen.findByText('No foreign configurations')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Scan again' }))
    expect(asked).toBe(2)
  })
})
