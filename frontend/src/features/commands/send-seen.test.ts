import { describe, expect, test, vi } from 'vitest'
import type { Command } from '@/api/types'
import { ProblemError } from '@/lib/problem'
import { sendSeen } from './send-seen'

const DONE = { id: 'c1' } as Command
const before = { rev: 1, name: 'data', consistent: false }
const basis = ({ name }: typeof before) => name

function host(rev: number) {
  return vi.fn(async (object: typeof before) => {
    if (object.rev !== rev) throw refusal(412)
    return DONE
  })
}

function refusal(status: number) {
  return new ProblemError({ type: 'about:blank', title: 'no', status, code: 'refused' })
}

describe('a change that rests on what was seen', () => {
  test('is sent once when nothing happened in between', async () => {
    const request = host(1)
    const look = vi.fn()
    expect(await sendSeen(request, { seen: before, look, basis })).toBe(DONE)
    expect(request).toHaveBeenCalledTimes(1)
    expect(look).not.toHaveBeenCalled()
  })

  test('is sent again when only something else has changed', async () => {
    const request = host(2)
    const look = async () => ({ ...before, rev: 2, consistent: true })
    expect(await sendSeen(request, { seen: before, look, basis })).toBe(DONE)
    expect(request).toHaveBeenCalledTimes(2)
  })

  test('is the user’s to repeat when its basis has changed', async () => {
    const request = host(2)
    const look = async () => ({ ...before, rev: 2, name: 'other' })
    await expect(sendSeen(request, { seen: before, look, basis })).rejects.toThrow(ProblemError)
    expect(request).toHaveBeenCalledTimes(1)
  })

  test('is never sent a third time', async () => {
    const request = host(9)
    const look = async () => ({ ...before, rev: 2 })
    await expect(sendSeen(request, { seen: before, look, basis })).rejects.toThrow(ProblemError)
    expect(request).toHaveBeenCalledTimes(2)
  })

  test('any other refusal stands', async () => {
    const request = vi.fn(async () => {
      throw refusal(409)
    })
    const look = vi.fn()
    await expect(sendSeen(request, { seen: before, look, basis })).rejects.toThrow(ProblemError)
    expect(look).not.toHaveBeenCalled()
  })
})
