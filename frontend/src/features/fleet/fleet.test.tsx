import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { healthOf } from '@/entities/hosts/health'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { askedList, get, list, server } from '@/test/server'

const summary = make.host().summary
const degraded = make.host({
  id: '00000000-0000-4000-8000-000000000002',
  name: 'beta',
  summary: { ...summary, worst_state: 'degraded', drive_failures_left: 0 },
})
const offline = make.host({
  id: '00000000-0000-4000-8000-000000000003',
  name: 'gamma',
  online: false,
  stale_since: '2026-11-20T09:00:00Z',
})

describe('health', () => {
  it('tells the least redundancy left', () => {
    expect(healthOf(make.host())).toBe('full')
    expect(healthOf(degraded)).toBe('none')
    expect(healthOf(offline)).toBe('offline')
    expect(healthOf(make.host({ summary: { ...summary, virtual_drives: 0 } }))).toBe('empty')
    expect(healthOf(make.host({ summary: { ...summary, worst_state: 'failed' } }))).toBe('lost')
    const reduced = { ...summary, worst_state: 'degraded', drive_failures_left: 1 } as const
    expect(healthOf(make.host({ summary: reduced }))).toBe('reduced')
    const attention = { ...summary, worst_state: 'needs_attention' } as const
    expect(healthOf(make.host({ summary: attention }))).toBe('attention')
    const starting = make.host({ summary: { ...summary, worst_state: 'starting' } })
    expect(healthOf(starting)).toBe('starting')
    const stripes = { ...summary, drive_failures_left: null }
    expect(healthOf(make.host({ summary: stripes }))).toBe('bare')
  })

  it('is what is known of a host that is not there', () => {
    expect(healthOf(make.host({ presence: 'enrolled', online: false }))).toBe('enrolled')
    expect(healthOf(make.host({ presence: 'connecting' }))).toBe('connecting')
    expect(healthOf(make.host({ presence: 'late' }))).toBe('full')
  })

  it('is not calm while an alert is open that does more than inform', () => {
    const health = (worst: string) =>
      healthOf(make.host({ summary: { ...summary, open_alerts: 1, worst_alert: worst } as never }))
    expect(health('warning')).toBe('attention')
    expect(health('critical')).toBe('attention')
    expect(health('a_new_word')).toBe('attention')
    expect(health('info')).toBe('full')
  })
})

describe('fleet page', () => {
  const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent)

  /** As the server does it, for the three hosts there are. */
  const hosts = () =>
    askedList('/hosts', (asked) => {
      const all = [degraded, offline, make.host()].filter(
        ({ name, online }) =>
          name.includes(asked.get('q') ?? '') &&
          (!asked.has('online') || online === (asked.get('online') === 'true')),
      )
      return { items: asked.get('sort') === 'name' ? all.toReversed() : all, total: all.length }
    })

  it('asks for the worst hosts first, and for another order when a header is pressed', async () => {
    const { handler, asked } = hosts()
    server.use(handler)
    const { user, router } = renderApp('/')
    await screen.findByRole('link', { name: 'alpha' })
    expect(names()).toEqual(['beta', 'gamma', 'alpha'])
    expect(asked.some((each) => each.get('sort') === '-worst_state')).toBe(true)
    await user.click(screen.getByRole('button', { name: 'Host' }))
    await waitFor(() => expect(names()).toEqual(['alpha', 'gamma', 'beta']))
    expect(router.state.location.search).toEqual({ sort: 'name' })
    await user.click(screen.getByRole('button', { name: 'Usable' }))
    expect(router.state.location.search).toEqual({ sort: '-usable_bytes' })
  })

  it('says that there are more hosts, and fetches them', async () => {
    const { handler } = askedList('/hosts', (asked) =>
      asked.get('cursor') === 'c2'
        ? { items: [degraded] }
        : { items: [make.host()], next_cursor: 'c2', total: 2 },
    )
    server.use(handler)
    const { user } = renderApp('/')
    await screen.findByRole('link', { name: 'alpha' })
    expect(screen.getByText('Showing 1 of 2')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByRole('link', { name: 'beta' })).toBeVisible()
    expect(screen.queryByText(/^Showing/)).toBeNull()
  })

  it('says on top what is worst, with what to do', async () => {
    const { handler, asked } = askedList('/alerts', () => ({ items: [make.alert()], total: 4 }))
    server.use(handler)
    renderApp('/')
    const urgent = within(await screen.findByRole('region', { name: 'Needs attention' }))
    expect(urgent.getByText('Replace the drive.')).toBeVisible()
    expect(urgent.getByRole('link', { name: 'All 4 open alerts' })).toHaveAttribute(
      'href',
      '/alerts',
    )
    expect(asked.some((each) => each.get('sort') === '-severity')).toBe(true)
    expect(screen.getAllByRole('region')[0]).toHaveAccessibleName('Needs attention')
  })

  it('says nothing of that when all is well', async () => {
    renderApp('/')
    await screen.findByRole('link', { name: 'alpha' })
    expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull()
  })

  it('counts the worst states first, and survives nothing where data is out of reach', async () => {
    const by = (state: string, count: number) => ({ state, count }) as never
    server.use(
      get(
        '/fleet',
        make.fleet({
          virtual_drives_by_state: [
            by('optimal', 3),
            by('partially_degraded', 1),
            by('offline', 1),
          ],
        }),
      ),
      list('/hosts', [
        make.host({ summary: { ...summary, worst_state: 'failed', drive_failures_left: 1 } }),
      ]),
    )
    renderApp('/')
    const states = (await screen.findByText('1 Offline')).closest('div')
    expect(states).toHaveTextContent(/1 Offline.*1 Partially degraded.*3 Optimal/)
    expect(await screen.findByText('Data unavailable')).toBeVisible()
    expect(screen.queryByText(/more failure survived/)).toBeNull()
  })

  it('never contradicts itself about a host that has not connected', async () => {
    const part = { presence: 'enrolled', online: false, last_seen: null } as const
    server.use(list('/hosts', [make.host({ ...part, label: 'alpha (3771616d)' })]))
    renderApp('/')
    expect(await screen.findByRole('link', { name: 'alpha (3771616d)' })).toBeVisible()
    expect(screen.getByText('Never connected')).toBeVisible()
    expect(screen.getByText('never')).toBeVisible()
    expect(screen.queryByText('now')).toBeNull()
  })

  it('keeps filter, search and sort in the address', async () => {
    const { handler, asked } = hosts()
    server.use(handler)
    const { user, router } = renderApp('/?show=offline')
    await screen.findByRole('link', { name: 'gamma' })
    expect(names()).toEqual(['gamma'])
    await user.click(screen.getByRole('button', { name: 'All 3' }))
    await user.type(screen.getByRole('searchbox', { name: 'Search hosts' }), 'bet')
    await waitFor(() => expect(names()).toEqual(['beta']))
    expect(router.state.location.search).toEqual({ q: 'bet' })
    // Not at each key: the server is asked when the writer pauses.
    expect(new Set(asked.map((each) => each.get('q')))).toEqual(new Set([null, 'bet']))
  })

  it('shows the hosts that have all chosen labels', async () => {
    const labeled = [
      make.host({ labels: ['rack-4', 'site=berlin'] }),
      { ...degraded, labels: ['site=berlin'] },
      { ...offline, labels: [] },
    ]
    const { handler } = askedList('/hosts', (asked) => {
      const items = labeled.filter(({ labels }) =>
        asked.getAll('label').every((label) => labels.includes(label)),
      )
      return { items, total: items.length }
    })
    server.use(handler)
    const { user, router } = renderApp('/?label=site=berlin')
    await screen.findByRole('link', { name: 'alpha' })
    expect(names()).toEqual(['alpha', 'beta'])
    expect(await screen.findByRole('button', { name: 'All 2' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Labels: site=berlin' }))
    await user.click(await screen.findByRole('button', { name: 'rack-4' }))
    await waitFor(() => expect(names()).toEqual(['alpha']))
    expect(router.state.location.search).toEqual({ label: ['rack-4', 'site=berlin'] })
    await user.click(screen.getByRole('button', { name: 'rack-4' }))
    await user.click(screen.getByRole('button', { name: 'site=berlin' }))
    await waitFor(() => expect(names()).toHaveLength(3))
    expect(router.state.location.search).toEqual({})
  })

  it('clears a label that no host has any more', async () => {
    const { handler } = askedList('/hosts', (asked) => ({
      items: asked.has('label') ? [] : [make.host()],
    }))
    server.use(handler)
    const { user } = renderApp('/?label=gone')
    expect(await screen.findByText('Nothing matches these filters')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Labels: gone' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(await screen.findByRole('link', { name: 'alpha' })).toBeVisible()
    expect(screen.queryByRole('button', { name: /Labels/ })).toBeNull()
  })

  it('tells none-match from none-yet', async () => {
    server.use(hosts().handler)
    const { user } = renderApp('/?q=nothing')
    expect(await screen.findByText('Nothing matches these filters')).toBeVisible()
    await user.click(screen.getAllByRole('button', { name: 'Clear filters' }).at(-1) as HTMLElement)
    expect(await screen.findByRole('link', { name: 'alpha' })).toBeVisible()
  })

  it('leads to the first step when there is no host', async () => {
    server.use(list('/hosts', []), get('/fleet', make.fleet({ hosts: 0, hosts_online: 0 })))
    const { user } = renderApp('/')
    await user.click(await screen.findByRole('link', { name: 'Add the first host' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Add host' })).toHaveFocus()
  })
})
