import { describe, expect, it } from 'vitest'
import { readDay, spanOf } from './days'

describe('days of an address', () => {
  it('are days, or nothing', () => {
    expect(readDay('2026-11-29')).toBe('2026-11-29')
    expect(readDay('2026-13-45')).toBeUndefined()
    expect(readDay('yesterday')).toBeUndefined()
  })

  it('are a span from the start of the first to the end of the last, in the reader’s time', () => {
    const { since, until } = spanOf({ from: '2026-11-28', to: '2026-11-29' })
    expect(since).toBe(new Date(2026, 10, 28).toISOString())
    expect(until).toBe(new Date(2026, 10, 30).toISOString())
    expect(spanOf({})).toEqual({})
  })
})
