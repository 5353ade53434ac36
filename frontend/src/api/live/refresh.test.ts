import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { detail } from '../registry'
import { applyMessage } from './hints'
import type { LiveMessage } from './protocol'

/** A server whose answers tell what it held when it was asked, and arrive when they are let go. */
function slowServer(first: { id: string; rev: number }) {
  const held = { now: first }
  const asked: (() => void)[] = []
  const answer = () => {
    const then = held.now
    return new Promise<typeof first>((resolve) => {
      asked.push(() => resolve(then))
    })
  }
  /** Lets the answer to this request arrive, counted from 0. */
  const arrive = async (request: number) => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(request))
    asked[request]?.()
  }
  return { held, asked, answer, arrive }
}

const queryKey = detail('virtual-drives', 'v')
const changed = (rev: number): LiveMessage => ({
  type: 'change',
  changes: [{ kind: 'virtual_drive', id: 'v', rev }],
})

describe('a change that arrives while a request is under way', () => {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: 60_000, retry: false } },
  })
  const rev = () => client.getQueryData<{ rev: number }>(queryKey)?.rev
  const watch = (queryFn: () => Promise<unknown>) =>
    new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {})

  afterEach(() => client.clear())

  it('is not lost when the page has nothing to show yet', async () => {
    const server = slowServer({ id: 'v', rev: 1 })
    const stop = watch(server.answer)
    server.held.now = { id: 'v', rev: 2 }
    void applyMessage(client, changed(2))
    await server.arrive(0)
    await server.arrive(1)
    await vi.waitFor(() => expect(rev()).toBe(2))
    expect(server.asked).toHaveLength(2)
    stop()
  })

  it('is not lost when the page is fetched before it is opened', async () => {
    const server = slowServer({ id: 'v', rev: 1 })
    const early = client.prefetchQuery({ queryKey, queryFn: server.answer })
    void applyMessage(client, changed(2))
    await server.arrive(0)
    await early
    server.held.now = { id: 'v', rev: 2 }
    const stop = watch(server.answer)
    await server.arrive(1)
    await vi.waitFor(() => expect(rev()).toBe(2))
    stop()
  })

  it('is not lost when the request fails', async () => {
    const server = slowServer({ id: 'v', rev: 2 })
    const request = vi.fn(server.answer).mockRejectedValueOnce(new Error('no connection'))
    const stop = watch(request)
    void applyMessage(client, changed(2))
    await server.arrive(0)
    await vi.waitFor(() => expect(rev()).toBe(2))
    stop()
  })

  it('asks once more, however many there are, and gives no request up', async () => {
    const server = slowServer({ id: 'v', rev: 1 })
    const stop = watch(server.answer)
    await server.arrive(0)
    await vi.waitFor(() => expect(rev()).toBe(1))
    for (const next of [2, 3, 4, 5]) {
      server.held.now = { id: 'v', rev: next }
      void applyMessage(client, changed(next))
    }
    await server.arrive(1)
    await vi.waitFor(() => expect(rev()).toBe(2))
    await server.arrive(2)
    await vi.waitFor(() => expect(rev()).toBe(5))
    expect(server.asked).toHaveLength(3)
    stop()
  })

  it('is not fetched again when the answer holds it already', async () => {
    const server = slowServer({ id: 'v', rev: 2 })
    const stop = watch(server.answer)
    void applyMessage(client, changed(2))
    await server.arrive(0)
    await vi.waitFor(() => expect(rev()).toBe(2))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(server.asked).toHaveLength(1)
    stop()
  })

  it('is fetched again after a break of the stream, whatever is under way', async () => {
    const server = slowServer({ id: 'v', rev: 1 })
    const stop = watch(server.answer)
    server.held.now = { id: 'v', rev: 2 }
    void applyMessage(client, { type: 'reset' })
    await server.arrive(0)
    await server.arrive(1)
    await vi.waitFor(() => expect(rev()).toBe(2))
    stop()
  })
})
