import { act, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'
import { list, server } from '@/test/server'
import { splitFeed } from './use-feed'

describe('splitFeed', () => {
  const events = [3, 2, 1].map((seq) => make.event(seq))

  it('shows all while nothing is held', () => {
    expect(splitFeed(events, null)).toEqual({ shown: events, newCount: 0, isNewOpen: false })
  })

  it('counts what came above the held event', () => {
    const split = splitFeed(events, 'e2')
    expect(split.shown.map((each) => each.seq)).toEqual([2, 1])
    expect(split.newCount).toBe(1)
  })

  it('admits that it cannot count beyond what is loaded', () => {
    expect(splitFeed(events, 'e0')).toMatchObject({ newCount: 3, isNewOpen: true })
  })
})

describe('events page', () => {
  const arrive = (...seqs: number[]) => {
    server.use(
      list(
        '/events',
        seqs.map((seq) => make.event(seq)),
      ),
    )
    act(() => {
      FakeEventSource.last.say('change', { changes: [{ kind: 'event', id: make.HOST_ID, rev: 9 }] })
    })
  }

  it('adds new events by itself', async () => {
    renderApp('/events')
    await screen.findByText('Event number 1')
    arrive(2, 1)
    expect(await screen.findByText('Event number 2')).toBeVisible()
  })

  it('holds still while paused and says how many are new', async () => {
    const { user } = renderApp('/events')
    await screen.findByText('Event number 1')
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    arrive(3, 2, 1)
    const pill = await screen.findByRole('button', { name: '2 new events' })
    expect(screen.queryByText('Event number 3')).toBeNull()
    await user.click(pill)
    expect(await screen.findByText('Event number 3')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible()
  })

  it('keeps the severity in the address', async () => {
    const { user, router } = renderApp('/events?severity=nonsense')
    await screen.findByText('Event number 1')
    await user.click(screen.getByRole('button', { name: 'Warnings and worse' }))
    await waitFor(() => expect(router.state.location.search).toEqual({ severity: 'warning' }))
  })
})
