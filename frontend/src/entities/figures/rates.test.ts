import { describe, expect, it } from 'vitest'
import { ratesOf } from './rates'

const BEGIN = '2026-11-29T18:42:54.000001Z'
const AGAIN = '2026-11-29T18:45:00.000000Z'
const sample = (at: number, read: number, since = BEGIN) => ({
  at,
  since,
  read,
  write: 0,
  flush: 0,
})

describe('rates', () => {
  it('are what was added, by the time that has passed', () => {
    const samples = [sample(0, 100), sample(10_000, 600), sample(30_000, 600)]
    expect(ratesOf(samples, 'read')).toEqual([
      { at: 10, perSecond: 50 },
      { at: 30, perSecond: 0 },
    ])
    expect(ratesOf(samples, 'write').map(({ perSecond }) => perSecond)).toEqual([0, 0])
  })

  it('need two samples that are apart', () => {
    expect(ratesOf([sample(0, 1)], 'read')).toEqual([])
    const close = [sample(0, 0), sample(500, 40), sample(10_000, 100)]
    expect(ratesOf(close, 'read')).toEqual([{ at: 10, perSecond: 10 }])
  })

  it('hold across a beginning that the host tells a little differently', () => {
    const samples = [sample(0, 0), sample(10_000, 100, '2026-11-29T18:42:54.000412Z')]
    expect(ratesOf(samples, 'read')).toEqual([{ at: 10, perSecond: 10 }])
  })

  it('are not known across a new start of the counters', () => {
    const samples = [sample(0, 900), sample(10_000, 5, AGAIN), sample(20_000, 25, AGAIN)]
    expect(ratesOf(samples, 'read')).toEqual([{ at: 20, perSecond: 2 }])
    expect(ratesOf([sample(0, 900), sample(10_000, 5)], 'read')).toEqual([])
  })
})
