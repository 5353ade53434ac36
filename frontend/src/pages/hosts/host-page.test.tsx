import { act, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'
import { get, list, record, server } from '@/test/server'

const ADDRESS = `/hosts/${make.HOST_ID}`
const bay = (slot: number) => screen.findByRole('button', { name: new RegExp(`^Slot ${slot}\\b`) })

describe('host page', () => {
  it('says the words of the controller’s vendor where they are not ours', async () => {
    server.use(list('/controllers', [make.controller({ vocabulary: 'threeware' })]))
    const { user, router } = renderApp(ADDRESS)
    expect(await screen.findByText('unit u0')).toBeVisible()
    await user.click(screen.getByRole('tab', { name: 'Controllers' }))
    expect(await screen.findByText(/^3ware: a virtual drive is a unit/)).toBeVisible()
    expect(router.state.location.search).toEqual({ tab: 'controllers' })
  })

  it('answers first what it survives, holds and does', async () => {
    const healthy = make.host()
    server.use(
      get('/hosts/:id', {
        ...healthy,
        summary: { ...healthy.summary, drive_failures_left: 0, drives_failed: 1 },
      }),
      list('/operations', [make.operation({ progress_percent: 40, time_left_s: 120 })]),
    )
    renderApp(ADDRESS)
    const figures = within(await screen.findByRole('region', { name: 'This host at a glance' }))
    expect(figures.getByText('None')).toHaveAttribute('data-tone', 'warn')
    expect(figures.getByText('The next failure in the worst place loses data.')).toBeVisible()
    const failed = figures.getByText('1 drive failed or missing')
    expect(failed).toBeVisible()
    expect(failed.closest('[data-tone]')).toHaveAttribute('data-tone', 'crit')
    const drives = figures.getByRole('heading', { name: 'Drives' })
    expect(drives.nextElementSibling).toHaveAttribute('data-tone', 'plain')
    expect(figures.getByText('40.0 %')).toBeVisible()
    expect(figures.getByText('2 min left')).toBeVisible()
  })

  it('opens a bay, keeps it in the address, and closes it with Escape', async () => {
    const { user, router } = renderApp(ADDRESS)
    await user.click(await bay(1))
    expect(await screen.findByRole('region', { name: 'Slot 1' })).toBeVisible()
    expect(router.state.location.search).toEqual({ bay: 'c0/e252/s1' })
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Slot 1' })).toBeNull())
    expect(router.state.location.search).toEqual({})
  })

  it('opens the bay of a link, and ignores a broken one', async () => {
    renderApp(`${ADDRESS}?bay=c0%2Fe252%2Fs7&color=plaid`)
    expect(await screen.findByRole('region', { name: 'Slot 7' })).toBeVisible()
    expect(screen.getByRole('button', { name: 'State' })).toHaveAttribute('aria-pressed', 'true')
  })

  it('pulls an emulated drive with what the user has seen as precondition', async () => {
    const pull = record('post', '/drives/:id/actions/fault', make.command({ op: 'fault_inject' }))
    server.use(pull.handler)
    const { user } = renderApp(`${ADDRESS}?bay=c0%2Fe252%2Fs1`)
    await user.click(await screen.findByRole('button', { name: 'Pull the drive out' }))
    expect(await screen.findByText('/c0/e252/s1 was pulled out.')).toBeVisible()
    expect(pull.requests[0]?.body).toEqual({ fault: 'pull' })
    expect(pull.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
  })

  it('shows a change at once when the stream tells of it', async () => {
    renderApp(ADDRESS)
    expect(await bay(1)).toHaveAccessibleName(/Online/)
    server.use(
      list('/drives', [
        make.member(0),
        make.member(1, { rev: 2, state: 'missing', present: false }),
        make.member(2),
      ]),
    )
    act(() => {
      FakeEventSource.last.say('ready', { stream: 's', topics: ['all'] })
      FakeEventSource.last.say('change', {
        changes: [{ kind: 'drive', id: make.driveId(1), rev: 2 }],
      })
    })
    await waitFor(async () => expect(await bay(1)).toHaveAccessibleName(/Missing/))
    expect(screen.getByText('Live')).toBeVisible()
  })

  it('says that it is not live when the stream is lost', async () => {
    renderApp(ADDRESS)
    await bay(0)
    act(() => FakeEventSource.last.fail(FakeEventSource.CONNECTING))
    expect(await screen.findByText('Not live')).toBeVisible()
  })

  it('shows an offline host with the age of its data and no way to change it', async () => {
    const offline = make.reason('host_offline', 'The host is offline since 09:00.')
    server.use(
      get('/hosts/:id', make.host({ online: false, stale_since: '2026-11-20T09:00:00Z' })),
      list('/controllers', [make.controller({ blocked: { vd_create: offline } })]),
    )
    renderApp(ADDRESS)
    expect(await screen.findByText('This host is offline')).toBeVisible()
    expect(screen.getByText(/Last report:/)).toBeVisible()
    const create = screen.getByRole('button', { name: 'Create virtual drive' })
    // Also while it is not yet known whether it is possible.
    expect(create).toHaveAttribute('aria-disabled', 'true')
    await waitFor(() =>
      expect(
        screen.getByRole('button', { name: 'Create virtual drive' }),
      ).toHaveAccessibleDescription('The host is offline since 09:00.'),
    )
  })

  it('says which reported values are impossible', async () => {
    server.use(get('/hosts/:id', make.host({ limited: ['started_at_us'] })))
    renderApp(ADDRESS)
    expect(await screen.findByText('The host reports impossible values')).toBeVisible()
    expect(screen.getByText(/nearest possible value: started_at_us/)).toBeVisible()
  })

  it('says how to start the link of a host that has never connected', async () => {
    server.use(get('/hosts/:id', make.host({ presence: 'enrolled', online: false })))
    renderApp(ADDRESS)
    expect(await screen.findByText('This host has never connected')).toBeVisible()
    expect(screen.getByText('sudo systemctl enable --now arraywright-uplink')).toBeVisible()
  })

  it('says that what is shown is from before while a host connects', async () => {
    server.use(get('/hosts/:id', make.host({ presence: 'connecting' })))
    renderApp(ADDRESS)
    expect(await screen.findByText('This host is connecting')).toBeVisible()
  })

  it('says that a host is late', async () => {
    server.use(get('/hosts/:id', make.host({ presence: 'late' })))
    renderApp(ADDRESS)
    expect(await screen.findByText('This host is late')).toBeVisible()
  })

  it('shows a viewer everything and lets them do nothing', async () => {
    const role = make.reason('role_needed', 'This needs the role operator.')
    const blocked = {
      fault_inject: role,
      drive_locate: role,
      drive_offline: role,
      spare_add: role,
    }
    server.use(
      get('/auth/session', make.session({ role: 'viewer' })),
      list('/drives', [make.member(1, { blocked })]),
    )
    const { user } = renderApp(`${ADDRESS}?bay=c0%2Fe252%2Fs1`)
    const panel = await screen.findByRole('region', { name: 'Slot 1' })
    await user.click(within(panel).getByRole('button', { name: /not possible now/ }))
    for (const name of ['Pull the drive out', 'Start locating', 'Take offline …']) {
      const button = within(panel).getByRole('button', { name })
      expect(button).toHaveAttribute('aria-disabled', 'true')
      expect(button).toHaveAccessibleDescription('This needs the role operator.')
    }
    expect(screen.queryByRole('link', { name: 'Users' })).toBeNull()
  })

  it('says which drive must not be taken out, and only of that one', async () => {
    const group = make.group()
    const members = group.members.map((each) => ({ ...each, last_copy: each.row === 1 }))
    server.use(list('/drive-groups', [{ ...group, members }]))
    const { user } = renderApp(`${ADDRESS}?bay=c0%2Fe252%2Fs1`)
    const named = await screen.findByRole('region', { name: 'Slot 1' })
    expect(await within(named).findByText(/nothing else holds its data/)).toBeVisible()
    await user.click(await bay(2))
    const other = await screen.findByRole('region', { name: 'Slot 2' })
    await within(other).findByText('span 0, row 2')
    expect(within(other).queryByText(/nothing else holds its data/)).toBeNull()
  })

  it('shows an operation with speed, time left and end', async () => {
    server.use(list('/operations', [make.operation()]))
    renderApp(ADDRESS)
    const bar = await screen.findByRole('progressbar', { name: 'Rebuild of /c0/e252/s4' })
    expect(bar).toHaveAttribute('aria-valuenow', '25')
    expect(screen.getByText('100 MB/s')).toBeVisible()
    expect(screen.getByText(/30 s left, until about/)).toBeVisible()
  })
})
