import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, server } from '@/test/server'
import { healthOf, matchesFilter, matchesText } from './health'

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
    expect(matchesFilter(starting, 'healthy')).toBe(false)
    expect(matchesFilter(starting, 'attention')).toBe(false)
    const stripes = { ...summary, drive_failures_left: null }
    expect(healthOf(make.host({ summary: stripes }))).toBe('bare')
    expect(matchesFilter(make.host({ summary: stripes }), 'healthy')).toBe(true)
  })

  it('is what is known of a host that is not there', () => {
    expect(healthOf(make.host({ presence: 'enrolled', online: false }))).toBe('enrolled')
    expect(healthOf(make.host({ presence: 'connecting' }))).toBe('connecting')
    expect(healthOf(make.host({ presence: 'late' }))).toBe('full')
    const enrolled = make.host({ presence: 'enrolled', online: false })
    expect(matchesFilter(enrolled, 'healthy')).toBe(false)
    expect(matchesFilter(enrolled, 'offline')).toBe(true)
  })

  it('is not calm while an alert is open that does more than inform', () => {
    const health = (worst: string) =>
      healthOf(make.host({ summary: { ...summary, open_alerts: 1, worst_alert: worst } as never }))
    expect(health('warning')).toBe('attention')
    expect(health('critical')).toBe('attention')
    expect(health('a_new_word')).toBe('attention')
    expect(health('info')).toBe('full')
  })

  it('filters by state and by words', () => {
    expect(matchesFilter(offline, 'attention')).toBe(true)
    expect(matchesFilter(make.host(), 'healthy')).toBe(true)
    expect(matchesText(make.host(), 'ALPHA debian')).toBe(true)
    expect(matchesText(make.host(), 'alpha windows')).toBe(false)
  })
})

describe('fleet page', () => {
  const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent)

  it('lists the worst hosts first', async () => {
    server.use(list('/hosts', [make.host(), offline, degraded]))
    renderApp('/')
    await screen.findByRole('link', { name: 'alpha' })
    expect(names()).toEqual(['beta', 'gamma', 'alpha'])
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
    server.use(list('/hosts', [make.host(), offline, degraded]))
    const { user, router } = renderApp('/?show=offline')
    await screen.findByRole('link', { name: 'gamma' })
    expect(names()).toEqual(['gamma'])
    await user.click(screen.getByRole('button', { name: /^All/ }))
    await user.type(screen.getByRole('searchbox', { name: 'Search hosts' }), 'bet')
    expect(names()).toEqual(['beta'])
    expect(router.state.location.search).toEqual({ q: 'bet' })
  })

  it('shows the hosts that have all chosen labels', async () => {
    const labels = (...names: string[]) => ({ labels: names })
    server.use(
      list('/hosts', [
        make.host(labels('rack-4', 'site=berlin')),
        { ...degraded, ...labels('site=berlin') },
        { ...offline, ...labels() },
      ]),
    )
    const { user, router } = renderApp('/?label=site=berlin')
    await screen.findByRole('link', { name: 'alpha' })
    expect(names()).toEqual(['beta', 'alpha'])
    expect(screen.getByRole('button', { name: 'All 2' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Labels: site=berlin' }))
    await user.click(screen.getByRole('button', { name: 'rack-4' }))
    expect(names()).toEqual(['alpha'])
    expect(router.state.location.search).toEqual({ label: ['rack-4', 'site=berlin'] })
    await user.click(screen.getByRole('button', { name: 'rack-4' }))
    await user.click(screen.getByRole('button', { name: 'site=berlin' }))
    expect(names()).toHaveLength(3)
    expect(router.state.location.search).toEqual({})
  })

  it('clears a label that no host has any more', async () => {
    const { user } = renderApp('/?label=gone')
    expect(await screen.findByText('Nothing matches these filters')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Labels: gone' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(await screen.findByRole('link', { name: 'alpha' })).toBeVisible()
    expect(screen.queryByRole('button', { name: /Labels/ })).toBeNull()
  })

  it('tells none-match from none-yet', async () => {
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
