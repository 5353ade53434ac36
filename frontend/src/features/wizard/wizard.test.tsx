import { screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { api, get, list, record, recordEnd, refuse, server } from '@/test/server'

const ADDRESS = `/hosts/${make.HOST_ID}/create`
const created = make.command({
  objects: [{ kind: 'virtual_drive', id: make.VIRTUAL_DRIVE_ID, key: 'v0' }],
})
const free = () => [0, 1, 2, 3, 4].map((slot) => make.drive(slot))

const createButton = () => screen.findByRole('button', { name: /^Create( |$)/ })
const ready = async () =>
  waitFor(async () => expect(await createButton()).not.toHaveAttribute('aria-disabled'))

describe('creation wizard', () => {
  it('shows the host’s own preview and creates what was previewed', async () => {
    const previews = record('post', '/virtual-drives/preview', make.preview())
    const creates = record('post', '/virtual-drives', created)
    server.use(list('/drives', free()), previews.handler, creates.handler)
    const { user, router } = renderApp(ADDRESS)

    expect(await screen.findByText('Any one drive may fail.')).toBeVisible()
    expect(screen.getByText('arrayctl /c0 add vd raid5 drives=252:0-3')).toBeVisible()
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'archive')
    await ready()
    expect(previews.requests.at(-1)?.body).toMatchObject({
      level: 'raid5',
      drive_ids: [0, 1, 2, 3].map(make.driveId),
      spare_ids: [make.driveId(4)],
      name: 'archive',
    })

    await user.click(screen.getByRole('button', { name: 'Create archive' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'archive' })).toBeVisible()
    expect(router.state.location.pathname).toBe(`/virtual-drives/${make.VIRTUAL_DRIVE_ID}`)
    expect(creates.requests).toHaveLength(1)
    expect(creates.requests[0]?.body).toMatchObject({ plan_digest: 'digest-1', name: 'archive' })
    expect(creates.requests[0]?.headers.get('X-CSRF-Token')).toBe('csrf-1')
    expect(creates.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
    expect(creates.requests[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f]{32}$/)
  })

  it('keeps what was chosen in the address, for a reload and the way back', async () => {
    const previews = record('post', '/virtual-drives/preview', make.preview())
    server.use(list('/drives', free()), previews.handler)
    const { user, router, unmount } = renderApp(`${ADDRESS}?mode=advanced`)
    await user.click(await screen.findByRole('radio', { name: 'RAID 5' }))
    for (const slot of [2, 0, 1]) {
      await user.click(screen.getByRole('button', { name: new RegExp(`^Slot ${slot}\\b`) }))
    }
    await user.click(screen.getByRole('radio', { name: 'A part of it' }))
    await user.clear(screen.getByRole('textbox', { name: 'Size in GB' }))
    await user.type(screen.getByRole('textbox', { name: 'Size in GB' }), '2')
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'archive')
    await user.selectOptions(screen.getByLabelText('Write policy'), 'write_through')
    await ready()
    const asked = previews.requests.at(-1)?.body
    expect(asked).toMatchObject({
      level: 'raid5',
      drive_ids: [2, 0, 1].map(make.driveId),
      name: 'archive',
      write_policy: 'write_through',
    })
    const { href } = router.state.location
    unmount()

    renderApp(href)
    expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveValue('archive')
    await ready()
    expect(previews.requests.at(-1)?.body).toEqual(asked)
  })

  it('says before anything is filled in that a role may not create', async () => {
    const reason = make.reason('role_needed', 'This needs the role operator.')
    server.use(list('/controllers', [make.controller({ blocked: { vd_create: reason } })]))
    renderApp(ADDRESS)
    expect(await screen.findByText('Your role cannot create virtual drives')).toBeVisible()
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
  })

  it('says on top why nothing can be created now', async () => {
    const reason = make.reason('host_offline', 'The host is offline.')
    server.use(
      list('/drives', free()),
      list('/controllers', [make.controller({ blocked: { vd_create: reason } })]),
      http.post(api('/virtual-drives/preview'), () => HttpResponse.json(make.preview())),
    )
    renderApp(ADDRESS)
    expect(await screen.findByText('Nothing can be created on this host now')).toBeVisible()
    expect(screen.getByRole('textbox', { name: 'Name' })).toBeVisible()
  })

  it('never takes an empty or impossible size for all there is', async () => {
    const previews = record('post', '/virtual-drives/preview', make.preview())
    server.use(list('/drives', free()), previews.handler)
    const { user } = renderApp(`${ADDRESS}?mode=advanced`)
    await user.click(await screen.findByRole('radio', { name: 'RAID 5' }))
    for (const slot of [0, 1, 2]) {
      await user.click(screen.getByRole('button', { name: new RegExp(`^Slot ${slot}\\b`) }))
    }
    await user.click(screen.getByRole('radio', { name: 'A part of it' }))
    const size = screen.getByRole('textbox', { name: 'Size in GB' })
    for (const [typed, said] of [
      ['', 'Enter a size in GB.'],
      ['0', /^The smallest size is/],
      ['-5', /^The smallest size is/],
    ] as const) {
      await user.clear(size)
      if (typed !== '') await user.type(size, typed)
      expect(screen.getByText(said)).toBeVisible()
      expect(await createButton()).toHaveAttribute('aria-disabled', 'true')
      expect(screen.getAllByText('Enter the size first.').length).toBeGreaterThan(0)
    }
    const asked = previews.requests.map(({ body }) => (body as { size_bytes?: number }).size_bytes)
    expect(asked).not.toContain(0)
    await user.clear(size)
    await user.type(size, '2')
    await waitFor(() =>
      expect(previews.requests.at(-1)?.body).toMatchObject({
        size_bytes: expect.toSatisfy((bytes: number) => bytes > 1.9e9 && bytes <= 2e9),
      }),
    )
  })

  it('applies a preset by its name, and only when what it gives up is accepted', async () => {
    const plan = make.preview({ policies: make.policies(), risks: [make.driveCacheRisk()] })
    const previews = record('post', '/virtual-drives/preview', plan)
    const creates = record('post', '/virtual-drives', created)
    server.use(list('/drives', free()), previews.handler, creates.handler)
    const { user } = renderApp(ADDRESS)

    await ready() // Policies chosen one by one have been warned of where they were chosen.
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Preset' }), 'Safest')
    await user.selectOptions(
      screen.getByRole('combobox', { name: 'Preset' }),
      'Maximum performance',
    )
    const consent = await screen.findByRole('checkbox', {
      name: /what “Maximum performance” gives/,
    })
    expect(screen.getByText('The drives hold what is written.')).toBeVisible()
    expect(screen.getByRole('row', { name: /^Write policy/ })).toHaveTextContent(
      'No battery protects the cache.',
    )
    await waitFor(async () =>
      expect(await createButton()).toHaveAccessibleDescription(/Accept what the preset gives up/),
    )
    expect(previews.requests.at(-1)?.body).toMatchObject({ preset: 'maximum-performance' })
    expect(previews.requests.at(-1)?.body).not.toHaveProperty('write_policy')
    await user.click(consent)
    await ready()
    await user.click(await createButton())
    await waitFor(() => expect(creates.requests).toHaveLength(1))
    expect(creates.requests[0]?.body).toMatchObject({
      preset: 'maximum-performance',
      accept_risk: true,
    })
  })

  it('asks for write-through while degraded only where it is chosen', async () => {
    const previews = record('post', '/virtual-drives/preview', make.preview())
    server.use(list('/drives', free()), previews.handler)
    const { user } = renderApp(ADDRESS)
    await ready()
    expect(previews.requests.at(-1)?.body).not.toHaveProperty('degraded_policy')
    await user.click(screen.getByRole('radio', { name: 'Advanced' }))
    await user.selectOptions(
      await screen.findByRole('combobox', { name: 'While degraded' }),
      'Write-through',
    )
    await waitFor(() =>
      expect(previews.requests.at(-1)?.body).toMatchObject({ degraded_policy: 'write_through' }),
    )
  })

  it('does not create what the host refuses, and shows every reason', async () => {
    server.use(
      list('/drives', free()),
      record(
        'post',
        '/virtual-drives/preview',
        make.preview({
          ok: false,
          refusals: [
            make.reason('name_taken', 'The name archive is already used by v0.'),
            make.reason('drive_gone', 'Drive d3 is no longer there.'),
          ],
        }),
      ).handler,
    )
    renderApp(ADDRESS)
    expect(await screen.findByText('The name archive is already used by v0.')).toBeVisible()
    expect(screen.getByText('Drive d3 is no longer there.')).toBeVisible()
    await waitFor(async () =>
      expect(await createButton()).toHaveAccessibleDescription(/The host refuses this/),
    )
  })

  it('stays where it is when the plan has changed since the preview', async () => {
    let asked = 0
    server.use(
      list('/drives', free()),
      http.post('http://localhost/api/v1/virtual-drives/preview', () => {
        asked += 1
        return HttpResponse.json(make.preview({ plan_digest: `digest-${asked}` }))
      }),
      recordEnd(
        'post',
        '/virtual-drives',
        make.command({
          state: 'refused',
          reason: make.reason('plan_changed', 'The plan is not the one that was previewed.'),
        }),
      ).handler,
    )
    const { user, router } = renderApp(ADDRESS)
    await screen.findByText('Any one drive may fail.')
    await ready()
    const before = asked
    await user.click(await createButton())
    expect(await screen.findByText('The plan is not the one that was previewed.')).toBeVisible()
    expect(router.state.location.pathname).toBe(ADDRESS)
    await waitFor(() => expect(asked).toBeGreaterThan(before))
  })

  it('asks for the serial number of each drive that carries data', async () => {
    const refusal = make.reason('drive_has_data', 'Drive /c0/e252/s0 carries ext4.', {
      drive: '/c0/e252/s0',
    })
    server.use(
      list('/drives', free()),
      http.post('http://localhost/api/v1/virtual-drives/preview', async ({ request }) => {
        const { serials } = (await request.json()) as { serials: string[] }
        const ok = serials.includes('SN0')
        return HttpResponse.json(make.preview({ ok, refusals: ok ? [] : [refusal] }))
      }),
    )
    const { user } = renderApp(ADDRESS)
    const field = await screen.findByRole('textbox', { name: 'Serial number of /c0/e252/s0' })
    await user.type(field, 'SN')
    expect(await createButton()).toHaveAttribute('aria-disabled', 'true')
    await user.type(field, '0')
    await ready()
  })

  it('lets drives be chosen in order in the advanced mode', async () => {
    const previews = record('post', '/virtual-drives/preview', make.preview())
    server.use(list('/drives', [make.member(0), ...free().slice(1)]), previews.handler)
    const { user } = renderApp(`${ADDRESS}?mode=advanced`)
    await user.click(await screen.findByRole('radio', { name: 'RAID 5' }))
    for (const slot of [3, 1, 2]) {
      await user.click(screen.getByRole('button', { name: new RegExp(`^Slot ${slot}\\b`) }))
    }
    // In use: it can be reached, but not chosen.
    const used = screen.getByRole('button', { name: /^Slot 0\b/ })
    expect(used).toHaveAttribute('aria-disabled', 'true')
    await user.click(used)
    await waitFor(() =>
      expect(previews.requests.at(-1)?.body).toMatchObject({
        drive_ids: [3, 1, 2].map(make.driveId),
      }),
    )
    expect(screen.getByText('3 drives chosen, in this order:')).toBeVisible()
  })

  it('says that nothing can be previewed while the host is offline', async () => {
    server.use(
      list('/drives', free()),
      get('/hosts/:id', make.host({ online: false, stale_since: '2026-11-20T09:00:00Z' })),
      refuse('post', '/virtual-drives/preview', 504, 'host_offline', 'The host is offline.'),
    )
    renderApp(ADDRESS)
    expect(await screen.findByRole('alert')).toHaveTextContent(/The preview comes from the host/)
    expect(await createButton()).toHaveAttribute('aria-disabled', 'true')
    expect(screen.getByText('This host is offline')).toBeVisible()
  })
})
