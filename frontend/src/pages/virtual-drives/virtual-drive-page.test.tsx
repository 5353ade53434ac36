import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { detail } from '@/api/registry'
import { differences } from '@/features/virtual-drives/EditDialog'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, recordEnd, refuse, server } from '@/test/server'

const ADDRESS = `/virtual-drives/${make.VIRTUAL_DRIVE_ID}`

async function openDelete() {
  const view = renderApp(ADDRESS)
  await view.user.click(await screen.findByRole('button', { name: 'Delete …' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete archive' }))
  return { ...view, dialog }
}

describe('virtual drive page', () => {
  it('says why the effective policy is not the requested one', async () => {
    renderApp(`${ADDRESS}?tab=policies`)
    const row = await screen.findByRole('row', { name: /Write policy/ })
    expect(row).toHaveTextContent('Write-back')
    expect(row).toHaveTextContent('Write-through')
    expect(row).toHaveTextContent('No cache memory is fitted.')
    expect(screen.getByText('After a flush they are on the drives.')).toBeVisible()
  })

  it('answers first what it survives and what becomes of a write', async () => {
    renderApp(ADDRESS)
    const figures = within(
      await screen.findByRole('region', { name: 'This virtual drive at a glance' }),
    )
    expect(figures.getByText('1 drive')).toBeVisible()
    expect(figures.getByText('Write-through')).toHaveAttribute('data-tone', 'warn')
    expect(figures.getByText('No cache memory is fitted.')).toBeVisible()
  })

  it('says of one that is offline that its data cannot be read', async () => {
    server.use(get('/virtual-drives/:id', make.virtualDrive({ state: 'offline' })))
    renderApp(ADDRESS)
    const figures = within(
      await screen.findByRole('region', { name: 'This virtual drive at a glance' }),
    )
    expect(figures.getByText('Data cannot be read.')).toBeVisible()
  })

  it('starts a consistency check, and shows what the last one has found', async () => {
    const place = {
      strip: 4,
      corrected: false,
      earlier: false,
      offset_bytes: 524288,
      piece_bytes: 4096,
      piece_count: 2,
      piece_distance_bytes: 65536,
      member: null,
      member_offset_bytes: null,
    }
    const result = {
      state: 'completed',
      correct: false,
      started_at: '2026-03-01T10:00:00Z',
      ended_at: '2026-03-01T11:00:00Z',
      compared_bytes: 12_000_000_000,
      left_out_bytes: 0,
      unreadable_bytes: 0,
      corrected_count: 1,
      inconsistent_count: 1,
      earlier_inconsistent_count: 1,
      places: [
        place,
        { ...place, strip: 9, piece_count: 0, corrected: true },
        { ...place, earlier: true },
      ],
    } as const
    const shown = make.virtualDrive({
      consistency_check: { ...result, places: [...result.places] },
    })
    const check = record('post', '/virtual-drives/:id/actions/consistency-check', make.command({}))
    server.use(get('/virtual-drives/:id', shown), check.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Start consistency check' }))
    await waitFor(() => expect(check.requests).toHaveLength(1))
    await user.click(screen.getByRole('tab', { name: 'Operations' }))
    expect(
      await screen.findByText(/Strip 4: one or more of blocks .* Left as it is\.$/),
    ).toBeVisible()
    expect(screen.getByText(/Left as it is\. From an earlier check\./)).toBeVisible()
    expect(screen.getByText(/Strip 9: parity only, no data\. Corrected\./)).toBeVisible()
    expect(check.requests[0]?.body).toEqual({ action: 'start', correct: false })
  })

  it('keeps the tab in the address, and takes an unknown one for the first', async () => {
    const { user, router } = renderApp(`${ADDRESS}?tab=nonsense`)
    expect(await screen.findByRole('tab', { name: 'Overview' })).toHaveAttribute(
      'aria-selected',
      'true',
    )
    await user.click(screen.getByRole('tab', { name: 'Members' }))
    expect(await screen.findByRole('table', { name: 'Members' })).toBeVisible()
    expect(router.state.location.search).toEqual({ tab: 'members' })
    await user.click(screen.getByRole('button', { name: 'Use it' }))
    expect(await screen.findByRole('tab', { name: 'Use it' })).toHaveAttribute(
      'aria-selected',
      'true',
    )
  })

  it('gives commands that can be copied', async () => {
    const { user } = renderApp(`${ADDRESS}?tab=use`)
    await user.click(await screen.findByRole('button', { name: 'Copy: Look at it' }))
    expect(await navigator.clipboard.readText()).toBe(
      "nbdinfo 'nbd+unix:///archive?socket=/run/nbd.sock'",
    )
  })

  it('lists what a deletion takes with it', async () => {
    const { dialog } = await openDelete()
    expect(await dialog.findByText(/All data on archive \(12 GB\) are lost/)).toBeVisible()
    expect(await dialog.findByText(/its 4 drives become unconfigured good/)).toBeVisible()
    expect(dialog.getByText(/can be restored .* for seven days at least/)).toBeVisible()
  })

  it('sends nothing for a wrong name, and the typed name for the right one', async () => {
    const remove = record('delete', '/virtual-drives/:id', make.command({ op: 'vd_delete' }))
    server.use(remove.handler)
    const { user, dialog, router } = await openDelete()
    const name = dialog.getByRole('textbox', { name: 'Name of the virtual drive' })
    const verb = dialog.getByRole('button', { name: 'Delete archive' })
    await user.type(name, 'archiv')
    await user.click(verb)
    expect(dialog.getByText(/This is not “archive”/)).toBeVisible()
    expect(remove.requests).toHaveLength(0)
    await user.type(name, 'e')
    await user.click(verb)
    expect(await screen.findByText('archive is deleted.')).toBeVisible()
    expect(remove.requests[0]?.body).toEqual({ confirm: 'archive', force: false })
    expect(remove.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
    expect(router.state.location.pathname).toBe(`/hosts/${make.HOST_ID}`)
  })

  it('writes zeros only with the typed name', async () => {
    const zero = record(
      'post',
      '/virtual-drives/:id/actions/initialize',
      make.command({ op: 'vd_init' }),
    )
    server.use(zero.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Initialize …' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('It cannot be undone.')).toBeVisible()
    await user.type(dialog.getByRole('textbox'), 'archiv{Enter}')
    expect(zero.requests).toHaveLength(0)
    await user.type(dialog.getByRole('textbox'), 'e{Enter}')
    expect(await screen.findByText('archive is initialized.')).toBeVisible()
    expect(zero.requests[0]?.body).toEqual({ confirm: 'archive', unless_content: false })
  })

  it('keeps the dialog open after a lost race and shows the present state', async () => {
    server.use(refuse('delete', '/virtual-drives/:id', 412, 'stale_precondition', 'Changed.'))
    const { user, dialog } = await openDelete()
    server.use(
      get(
        '/virtual-drives/:id',
        make.virtualDrive({ rev: 8, config_rev: 'a-8', state: 'degraded' }),
      ),
    )
    await user.type(dialog.getByRole('textbox'), 'archive{Enter}')
    expect(await dialog.findByRole('alert')).toHaveTextContent(/changed this since you looked/)
    expect(await screen.findAllByText('Degraded')).not.toHaveLength(0)
  })

  it('shows what the host says when it refuses', async () => {
    server.use(
      recordEnd(
        'delete',
        '/virtual-drives/:id',
        make.command({
          state: 'refused',
          reason: make.reason('virtual_drive_in_use', 'archive has 2 open connections.'),
        }),
      ).handler,
    )
    const { user, dialog } = await openDelete()
    await user.type(dialog.getByRole('textbox'), 'archive{Enter}')
    expect(await dialog.findByText('archive has 2 open connections.')).toBeVisible()
  })

  it('names the risk before always write-back, and sends it only with consent', async () => {
    const update = record('patch', '/virtual-drives/:id', make.command({ op: 'vd_set' }))
    server.use(update.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Change …' }))
    const editor = within(await screen.findByRole('dialog', { name: 'Change archive' }))
    expect(editor.getByText('Now: Write-through. No cache memory is fitted.')).toBeVisible()
    await user.selectOptions(
      editor.getByRole('combobox', { name: 'Write policy' }),
      'always_write_back',
    )
    await user.click(editor.getByRole('button', { name: 'Save' }))
    const title = 'Always write-back for archive'
    const risk = within(await screen.findByRole('dialog', { name: title }))
    expect(risk.getByText(/A power failure then loses them/)).toBeVisible()
    const verb = risk.getByRole('button', { name: 'Use always write-back' })
    expect(verb).toBeDisabled()
    expect(update.requests).toHaveLength(0)
    await user.click(risk.getByRole('checkbox', { name: /power failure loses acknowledged/ }))
    await user.click(verb)
    expect(await screen.findByText('archive is changed.')).toBeVisible()
    expect(update.requests[0]?.body).toEqual({ write_policy: 'always_write_back' })
  })

  it('says the vendor’s word beside ours, where the model has words of its own', async () => {
    renderApp(ADDRESS)
    expect(await screen.findByText('Virtual drive /c0/v0')).toBeVisible()
    server.use(get('/controllers/:id', make.controller({ vocabulary: 'threeware' })))
    renderApp(ADDRESS)
    expect(await screen.findByText('Virtual drive /c0/v0 · unit u0')).toBeVisible()
  })

  it('says what the drives have, and not only what was asked of them', async () => {
    const mixed = make.virtualDrive({
      drive_cache_policy: 'on',
      effective_drive_cache: {
        requested: 'on',
        effective: 'mixed',
        reason: make.reason('drive_cache_given_up', 'Drive /c0/e252/s1 did not follow.'),
      },
      effective_access: null,
      preset: 'safest',
    })
    server.use(get('/virtual-drives/:id', mixed))
    renderApp(`${ADDRESS}?tab=policies`)
    const row = await screen.findByRole('row', { name: /Drive cache/ })
    expect(row).toHaveTextContent('On in some drives, off in others')
    expect(row).toHaveTextContent('Drive /c0/e252/s1 did not follow.')
    const access = screen.getByRole('row', { name: /Access/ })
    expect(access).toHaveTextContent('Not known')
    expect(access).toHaveTextContent('The host does not say.')
    expect(screen.getByText('Preset: Safest')).toBeVisible()
  })

  it('says of the stripe log and of hedged reads what is in use, and why', async () => {
    const asked = make.virtualDrive({
      stripe_log: true,
      effective_stripe_log: {
        requested: 'on',
        effective: 'off',
        reason: make.reason('stripe_log_journal', 'The journal of the cache logs instead of it.'),
      },
      hedged_reads: true,
      effective_hedged_reads: {
        requested: 'on',
        effective: 'on',
        reason: make.reason('as_requested', 'As requested.'),
      },
    })
    server.use(get('/virtual-drives/:id', asked))
    const { user } = renderApp(`${ADDRESS}?tab=policies`)
    const log = await screen.findByRole('row', { name: /^Stripe log/ })
    expect(log).toHaveTextContent(/OnOffThe journal of the cache logs instead of it\.$/)
    const hedged = screen.getByRole('row', { name: /^Hedged reads/ })
    expect(hedged).toHaveTextContent(/OnOnAs requested\.$/)
    await user.click(screen.getByRole('button', { name: 'Change …' }))
    const editor = within(await screen.findByRole('dialog', { name: 'Change archive' }))
    expect(editor.getByText(/Now: Off\. The journal of the cache logs/)).toBeVisible()
  })

  it('makes nothing up for a host that does not say whether they are in use', async () => {
    server.use(get('/virtual-drives/:id', make.virtualDrive({ stripe_log: true })))
    renderApp(`${ADDRESS}?tab=policies`)
    const log = await screen.findByRole('row', { name: /^Stripe log/ })
    expect(log).toHaveTextContent(/OnNot knownThe host does not say\.$/)
    expect(screen.queryByRole('row', { name: /^Hedged reads/ })).toBeNull()
  })

  it('shows what a preset would become, and applies it with consent', async () => {
    const update = record('patch', '/virtual-drives/:id', make.command({ op: 'vd_set' }))
    const asked = record('post', '/virtual-drives/:id/policy-preview', {
      ok: true,
      refusals: [],
      policies: make.policies(),
      risks: [make.driveCacheRisk()],
      cli: 'arrayctl /c0/v0 set wrcache=wb',
    })
    server.use(update.handler, asked.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Change …' }))
    const editor = within(await screen.findByRole('dialog', { name: 'Change archive' }))
    await user.selectOptions(
      await editor.findByRole('combobox', { name: 'Preset' }),
      'Maximum performance',
    )
    const outcome = within(await editor.findByRole('table', { name: /host would make of it/ }))
    expect(outcome.getByRole('row', { name: /Write policy/ })).toHaveTextContent(
      'No battery protects the cache.',
    )
    expect(editor.getByRole('combobox', { name: 'Drive cache' })).toHaveValue('on')
    await user.selectOptions(editor.getByRole('combobox', { name: 'Read policy' }), 'read_ahead')
    expect(editor.getByText('The drives hold what is written.')).toBeVisible()
    const save = editor.getByRole('button', { name: 'Save' })
    await waitFor(() => expect(save).toBeEnabled())
    await user.click(save)
    const title = 'Apply “Maximum performance” to archive'
    const risk = within(await screen.findByRole('dialog', { name: title }))
    const verb = risk.getByRole('button', { name: 'Apply “Maximum performance”' })
    expect(verb).toBeDisabled()
    expect(update.requests).toHaveLength(0)
    await user.click(risk.getByRole('checkbox', { name: /I accept what/ }))
    await user.click(verb)
    expect(await screen.findByText('archive is changed.')).toBeVisible()
    expect(update.requests[0]?.body).toEqual({
      preset: 'maximum-performance',
      read_policy: 'read_ahead',
      accept_risk: true,
    })
    expect(asked.requests.at(-1)?.body).toEqual({
      preset: 'maximum-performance',
      read_policy: 'read_ahead',
    })
  })

  it('compares what the presets do, and marks none before one is chosen', async () => {
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Change …' }))
    const editor = within(await screen.findByRole('dialog', { name: 'Change archive' }))
    await user.click(await editor.findByText('Compare the presets'))
    const table = within(editor.getByRole('table', { name: 'What each preset does' }))
    const cells = (name: string) =>
      within(table.getByRole('row', { name: new RegExp(`^${name}`) }))
        .getAllByRole('cell')
        .map((cell) => cell.textContent)
    expect(cells('Maximum performance')).toEqual([
      'Write-back',
      'Adaptive read-ahead',
      'Direct',
      'On',
      'As before',
    ])
    expect(cells('Safest')).toEqual([
      'Write-through',
      'No read-ahead',
      'Direct',
      'Off',
      'Write-through',
    ])
    expect(editor.getByText(/flushes and FUA are honored/)).toBeVisible()
  })

  it('sets what it does while it is degraded, and shows what holds', async () => {
    const update = record('patch', '/virtual-drives/:id', make.command({ op: 'vd_set' }))
    const asked = make.virtualDrive({
      level: 'raid0',
      degraded_policy: 'write_through',
      effective_degraded_policy: {
        requested: 'write_through',
        effective: 'keep',
        reason: make.reason('degraded_policy_no_redundancy', 'It has no redundancy.'),
      },
    })
    server.use(get('/virtual-drives/:id', asked), update.handler)
    const { user } = renderApp(`${ADDRESS}?tab=policies`)
    const row = await screen.findByRole('row', { name: /^While degraded/ })
    expect(row).toHaveTextContent(/Write-through.*As before.*It has no redundancy\./)
    await user.click(await screen.findByRole('button', { name: 'Change …' }))
    const editor = within(await screen.findByRole('dialog', { name: 'Change archive' }))
    const choice = editor.getByRole('combobox', { name: 'While degraded' })
    expect(choice).toHaveValue('write_through')
    await user.selectOptions(choice, 'As before')
    await user.click(editor.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('archive is changed.')).toBeVisible()
    expect(update.requests[0]?.body).toEqual({ degraded_policy: 'keep' })
  })

  it('offers nothing for the degraded state on a host that knows no choice', async () => {
    server.use(
      get(
        '/virtual-drives/:id',
        make.virtualDrive({ degraded_policy: null, effective_degraded_policy: null }),
      ),
    )
    const { user } = renderApp(`${ADDRESS}?tab=policies`)
    await user.click(await screen.findByRole('button', { name: 'Change …' }))
    const editor = within(await screen.findByRole('dialog', { name: 'Change archive' }))
    expect(editor.getByRole('combobox', { name: 'Drive cache' })).toBeVisible()
    expect(editor.queryByRole('combobox', { name: 'While degraded' })).toBeNull()
    expect(screen.queryByRole('row', { name: /^While degraded/ })).toBeNull()
  })

  const growable = make.virtualDrive({
    size_bytes: 12_000_000_000,
    expansion: { maximum_bytes: 20_000_000_000, row_bytes: 1_000_000_000 },
  })

  async function openExpand() {
    const expand = record('post', '/virtual-drives/:id/actions/expand', make.command())
    server.use(get('/virtual-drives/:id', growable), expand.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Expand …' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Expand archive' }))
    return { user, dialog, expand, verb: dialog.getByRole('button', { name: 'Expand archive' }) }
  }

  it('expands into all the free space, with consent', async () => {
    const { user, dialog, expand, verb } = await openExpand()
    expect(dialog.getByText('It has 12 GB. 8 GB are free directly behind it.')).toBeVisible()
    expect(dialog.getByText(/It grows from 12 GB to 20 GB/)).toBeVisible()
    expect(dialog.getByText(/reads as what was there before/)).toBeVisible()
    expect(verb).toBeDisabled()
    await user.click(dialog.getByRole('checkbox', { name: /cannot be made smaller/ }))
    await user.click(verb)
    expect(await screen.findByText('archive is expanded.')).toBeVisible()
    expect(expand.requests[0]?.body).toEqual({ size_bytes: 'all' })
  })

  it('expands to a size of its own, in whole rows', async () => {
    const { user, dialog, expand, verb } = await openExpand()
    await user.click(dialog.getByRole('radio', { name: 'A size of its own' }))
    const size = dialog.getByRole('textbox', { name: 'Size in GB' })
    await user.clear(size)
    await user.type(size, '15.7')
    expect(dialog.getByText(/It grows from 12 GB to 15 GB/)).toBeVisible()
    await user.click(dialog.getByRole('checkbox', { name: /cannot be made smaller/ }))
    await user.click(verb)
    await screen.findByText('archive is expanded.')
    expect(expand.requests[0]?.body).toEqual({ size_bytes: 15_000_000_000 })
  })

  it('never takes an empty or impossible size for all there is', async () => {
    const { user, dialog, verb } = await openExpand()
    await user.click(dialog.getByRole('radio', { name: 'A size of its own' }))
    await user.click(dialog.getByRole('checkbox', { name: /cannot be made smaller/ }))
    const size = dialog.getByRole('textbox', { name: 'Size in GB' })
    for (const [typed, said] of [
      ['', 'Enter a size in GB.'],
      ['0', 'The smallest size is 13 GB.'],
      ['-5', 'The smallest size is 13 GB.'],
      ['12', 'The smallest size is 13 GB.'],
      ['999', 'At most 20 GB are available.'],
    ] as const) {
      await user.clear(size)
      if (typed !== '') await user.type(size, typed)
      expect(dialog.getByText(said)).toBeVisible()
      expect(verb).toBeDisabled()
    }
    await user.clear(size)
    await user.type(size, '14')
    expect(verb).toBeEnabled()
  })

  it('says that it is gone when a later look finds nothing, and leads to the undo', async () => {
    const { client } = renderApp(ADDRESS)
    expect(await screen.findByRole('button', { name: 'Delete …' })).toBeVisible()
    server.use(
      refuse('get', '/virtual-drives/:id', 404, 'not_found', 'Gone.'),
      get('/controllers/:id/undo', { items: [] }),
    )
    await client.invalidateQueries()
    expect(await screen.findByText('This virtual drive no longer exists')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Delete …' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Recently deleted' })).toHaveAttribute(
      'href',
      expect.stringContaining('/undo'),
    )
  })

  it('says why it cannot be expanded, and nothing for a host that knows no expansion', async () => {
    const text = 'There is no free space directly behind it.'
    server.use(
      get('/virtual-drives/:id', {
        ...growable,
        blocked: { vd_expand: make.reason('expand_no_space', text) },
      }),
    )
    const { user, ...view } = renderApp(ADDRESS)
    await user.click(
      await screen.findByRole('button', { name: 'Show 1 action that is not possible now' }),
    )
    const button = screen.getByRole('button', { name: 'Expand …' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    expect(await screen.findByText(text)).toBeInTheDocument()
    view.unmount()
    server.use(get('/virtual-drives/:id', make.virtualDrive({ expansion: null })))
    renderApp(ADDRESS)
    expect(await screen.findByRole('button', { name: 'Change …' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Expand …' })).toBeNull()
  })

  it('tells loudly of lost writes and lists bad blocks', async () => {
    server.use(
      get(
        '/virtual-drives/:id',
        make.virtualDrive({
          bad_block_count: 1,
          lost_writes: make.reason('cache_lost_medium', 'The cache medium is gone.'),
        }),
      ),
      list('/alerts', [
        make.alert({
          rule: 'writes_lost',
          title: 'Acknowledged writes lost',
          cause: make.reason('cache_lost_medium', 'The cache medium is gone.'),
        }),
      ]),
      get('/virtual-drives/:id/bad-blocks', {
        block_bytes: 512,
        total: 1,
        more: false,
        blocks: [{ lba: 4096, count: 8, found_at: make.TIME }],
      }),
    )
    renderApp(ADDRESS)
    expect(await screen.findByText('Acknowledged writes lost')).toBeVisible()
    expect(screen.getByText('The cache medium is gone.')).toBeVisible()
    expect(await screen.findByRole('row', { name: /4,096 8/ })).toBeVisible()
  })

  it('shows how long requests take, in a table and a plot', async () => {
    server.use(get('/virtual-drives/:id/latency', make.latency()))
    renderApp(`${ADDRESS}?tab=performance`)
    const row = await screen.findByRole('row', { name: /^Read 4 80 µs 1.5 ms/ })
    expect(row).toBeVisible()
    expect(
      screen.getByRole('img', { name: 'Read: half within 80 µs, 99 % within 1.5 ms' }),
    ).toBeVisible()
  })

  it('shows how many requests there are in a second, from two looks', async () => {
    const now = vi.spyOn(Date, 'now')
    const begin = Date.now()
    now.mockReturnValue(begin)
    const read = make.latency().read
    server.use(get('/virtual-drives/:id/latency', make.latency({ read: { ...read, count: 1000 } })))
    const { client } = renderApp(`${ADDRESS}?tab=performance`)
    expect(await screen.findByText('The first figure appears after ten seconds.')).toBeVisible()
    server.use(get('/virtual-drives/:id/latency', make.latency({ read: { ...read, count: 6000 } })))
    now.mockReturnValue(begin + 10_000)
    await client.invalidateQueries({ queryKey: detail('latency', make.VIRTUAL_DRIVE_ID) })
    expect(await screen.findByText('Now 500/s · highest 500/s')).toBeVisible()
    expect(screen.getByRole('img', { name: /^Read requests: 500\/s now/ })).toBeVisible()
    expect(screen.getByRole('img', { name: /^Write requests: 0\/s now/ })).toBeVisible()
  })

  it('shows what the cache of its controller does, as far back as the address says', async () => {
    const { user, router } = renderApp(`${ADDRESS}?tab=performance`)
    const panel = within(await screen.findByRole('region', { name: 'Cache of its controller' }))
    await user.click(panel.getByRole('button', { name: '2 weeks' }))
    expect(router.state.location.search).toEqual({ tab: 'performance', range: 'weeks' })
  })

  it('says it when the agent does not measure', async () => {
    renderApp(`${ADDRESS}?tab=performance`)
    expect(await screen.findByText('This agent does not measure it.')).toBeVisible()
  })

  it('sends only the settings that differ', () => {
    const before = {
      name: 'a',
      write_policy: 'write_back' as const,
      read_policy: 'read_ahead' as const,
      io_policy: 'direct' as const,
      drive_cache_policy: 'on' as const,
      degraded_policy: 'keep' as const,
      access: 'read_write' as const,
      stripe_log: false,
      stripe_log_mode: 'auto' as const,
      hedged_reads: false,
    }
    expect(differences(before, { ...before, name: 'b', access: 'read_only' })).toEqual({
      name: 'b',
      access: 'read_only',
    })
  })
})
