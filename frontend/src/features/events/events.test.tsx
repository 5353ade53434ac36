import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import * as make from '@/test/factories'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'
import { api, list, server } from '@/test/server'
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

  it('shows some days only, links to the object, and saves all as CSV', async () => {
    const asked: URLSearchParams[] = []
    const about = make.event(1, { params: { drive: '/c0/e252/s1' } })
    server.use(
      http.get(api('/events'), ({ request }) => {
        asked.push(new URL(request.url).searchParams)
        return HttpResponse.json({ items: [about], next_cursor: null, total: 1 })
      }),
    )
    const saved: Blob[] = []
    vi.stubGlobal(
      'URL',
      Object.assign(URL, {
        createObjectURL: (blob: Blob) => {
          saved.push(blob)
          return 'blob:events'
        },
        revokeObjectURL: () => {},
      }),
    )
    const { user, router } = renderApp('/events?from=2026-11-28&to=nonsense')
    await screen.findByText('Event number 1')
    expect(asked.at(-1)?.get('since')).toBe(new Date(2026, 10, 28).toISOString())
    expect(asked.at(-1)?.get('until')).toBeNull()
    fireEvent.change(screen.getByLabelText('Up to this day'), { target: { value: '2026-11-29' } })
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ from: '2026-11-28', to: '2026-11-29' }),
    )
    expect(screen.getByRole('link', { name: '/c0/e252/s1' })).toHaveAttribute(
      'href',
      `/drives/${about.object_id}`,
    )
    await user.click(screen.getByRole('button', { name: 'Save as CSV' }))
    await waitFor(() => expect(saved).toHaveLength(1))
    expect(asked.at(-1)?.get('until')).toBe(new Date(2026, 10, 30).toISOString())
    expect(saved[0]?.type).toBe('text/csv')
  })
})
