import { QueryClient } from '@tanstack/react-query'
import { describe, expect, test, vi } from 'vitest'
import type { Command } from '@/api/types'
import { ProblemError } from '@/lib/problem'
import * as make from '@/test/factories'
import { CommandError } from './follow'
import { sendSeen } from './send-seen'

const before = { config_rev: 'a-1', name: 'data', consistent: false }
const after = { ...before, config_rev: 'a-2', consistent: true }
const basis = ({ name }: typeof before) => name
const done = make.command({ state: 'succeeded' })
const stale = make.command({
  state: 'refused',
  reason: make.reason('stale_precondition', 'It has changed.'),
})

function refusal(status: number) {
  return new ProblemError({ type: 'about:blank', title: 'no', status, code: 'refused' })
}

/** Refuses, by the server or by the host, whatever is not of this revision. */
function host(rev: string, by: 'server' | 'host') {
  return vi.fn(async (object: typeof before): Promise<Command> => {
    if (object.config_rev === rev) return done
    if (by === 'host') return stale
    throw refusal(412)
  })
}

const send = (request: ReturnType<typeof host>, look: () => Promise<typeof before>) =>
  sendSeen(new QueryClient(), request, { seen: before, look, basis })

describe('a change that rests on what was seen', () => {
  test('is sent once when nothing happened in between', async () => {
    const request = host('a-1', 'host')
    const look = vi.fn()
    expect(await send(request, look)).toBe(done)
    expect(request).toHaveBeenCalledTimes(1)
    expect(look).not.toHaveBeenCalled()
  })

  test.each(['server', 'host'] as const)(
    'is sent again when only something else has changed, as the %s says',
    async (by) => {
      const request = host('a-2', by)
      expect(await send(request, async () => after)).toBe(done)
      expect(request).toHaveBeenCalledTimes(2)
    },
  )

  test('waits for the news that the host has refused it for', async () => {
    const request = host('a-2', 'host')
    const look = vi.fn(async () => (look.mock.calls.length < 3 ? before : after))
    expect(await send(request, look)).toBe(done)
    expect(look).toHaveBeenCalledTimes(3)
    expect(request).toHaveBeenCalledTimes(2)
  })

  test.each(['server', 'host'] as const)(
    'is the user’s to repeat when its basis has changed, as the %s says',
    async (by) => {
      const request = host('a-2', by)
      await expect(send(request, async () => ({ ...after, name: 'other' }))).rejects.toThrow(
        by === 'server' ? ProblemError : CommandError,
      )
      expect(request).toHaveBeenCalledTimes(1)
    },
  )

  test('follows a revision that moves again meanwhile', async () => {
    const request = host('a-4', 'host')
    let rev = 1
    expect(await send(request, async () => ({ ...after, config_rev: `a-${++rev}` }))).toBe(done)
    expect(request).toHaveBeenCalledTimes(4)
  })

  test('is given up after five times', async () => {
    const request = host('a-99', 'host')
    let rev = 1
    const look = async () => ({ ...after, config_rev: `a-${++rev}` })
    await expect(send(request, look)).rejects.toThrow(CommandError)
    expect(request).toHaveBeenCalledTimes(5)
  })

  test('is given up when there is nothing new to send it with', async () => {
    vi.useFakeTimers()
    const request = host('a-9', 'server')
    const given = expect(send(request, async () => after)).rejects.toThrow(ProblemError)
    await vi.runAllTimersAsync()
    await given
    expect(request).toHaveBeenCalledTimes(2)
    vi.useRealTimers()
  })

  test('any other refusal stands', async () => {
    const look = vi.fn()
    const refuses = vi.fn(async () => {
      throw refusal(409)
    })
    await expect(send(refuses, look)).rejects.toThrow(ProblemError)
    const declines = vi.fn(async () =>
      make.command({ state: 'refused', reason: make.reason('virtual_drive_in_use', 'In use.') }),
    )
    await expect(send(declines, look)).rejects.toThrow('In use.')
    expect(look).not.toHaveBeenCalled()
  })
})
