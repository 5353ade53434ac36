import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProblemError } from '@/lib/problem'
import { createQueryClient } from './query-client'
import { detail } from './registry'

const failure = (status: number) =>
  new ProblemError({ type: 'about:blank', title: 'no', status, code: 'refused' })

describe('what is shown and could not be brought up to date', () => {
  const client = createQueryClient(() => {})
  const queryKey = detail('virtual-drives', 'v')
  const request = vi.fn<() => Promise<string>>()
  let stop: () => void

  beforeEach(async () => {
    vi.useFakeTimers()
    request.mockReset().mockResolvedValueOnce('old')
    stop = new QueryObserver(client, { queryKey, queryFn: request }).subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
  })
  afterEach(() => {
    stop()
    client.clear()
    vi.useRealTimers()
  })

  it('is asked for again: the stream tells of a change only once', async () => {
    request.mockRejectedValueOnce(failure(500)).mockResolvedValue('new')
    void client.invalidateQueries({ queryKey })
    await vi.advanceTimersByTimeAsync(0)
    expect(client.getQueryState(queryKey)).toMatchObject({ status: 'error', data: 'old' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(client.getQueryData(queryKey)).toBe('new')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(request).toHaveBeenCalledTimes(3)
  })

  it('is not asked for again when the answer is final', async () => {
    request.mockRejectedValue(failure(404))
    void client.invalidateQueries({ queryKey })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(request).toHaveBeenCalledTimes(2)
  })
})
