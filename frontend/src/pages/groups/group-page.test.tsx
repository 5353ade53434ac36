import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, server } from '@/test/server'

const ADDRESS = `/drive-groups/${make.GROUP_ID}`

describe('the page of a drive group', () => {
  it('answers first what it survives, holds and what stands in', async () => {
    const group = make.group()
    const [first, ...others] = group.members
    server.use(
      get('/drive-groups/:id', {
        ...group,
        state: 'degraded',
        members: [{ ...first, drive_id: null, state: 'missing' }, ...others],
        spare_choices: [],
      }),
      list('/virtual-drives', [make.virtualDrive({ drive_failures_left: 0 })]),
    )
    renderApp(ADDRESS)
    const figures = within(
      await screen.findByRole('region', { name: 'This drive group at a glance' }),
    )
    expect(figures.getByText('None')).toHaveAttribute('data-tone', 'warn')
    expect(figures.getByText('1 missing')).toBeVisible()
    expect(figures.getByText('No hot spare stands ready.')).toBeVisible()
    expect(figures.getByText('RAID 5')).toBeVisible()
  })

  it('names the spans that are not whole', async () => {
    server.use(
      get('/drive-groups/:id', {
        ...make.group(),
        span_states: ['optimal', 'degraded', 'optimal'],
      }),
    )
    renderApp(ADDRESS)
    const spans = (await screen.findByText('Span 1:')).closest('dd')
    expect(spans).toHaveTextContent(/^Span 1: Degraded$/)
  })

  it('has its parts as tabs, and the address says which', async () => {
    const { user, router } = renderApp(`${ADDRESS}?tab=members`)
    expect(await screen.findByRole('table', { name: 'Members' })).toBeVisible()
    await user.click(screen.getByRole('tab', { name: 'Events' }))
    expect(await screen.findByRole('region', { name: 'Recent events' })).toBeVisible()
    expect(screen.queryByRole('table', { name: 'Members' })).toBeNull()
    expect(router.state.location.search).toEqual({ tab: 'events' })
  })

  it('shows its overview for a tab that it does not have', async () => {
    renderApp(`${ADDRESS}?tab=weather`)
    expect(await screen.findByRole('region', { name: 'Virtual drives' })).toBeVisible()
    expect(screen.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true')
  })
})
