import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatClock,
  formatDuration,
  formatExactBytes,
  formatPercent,
  formatRate,
  formatRelative,
  formatStrip,
} from './format'

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [1_500_000, '1.5 MB'],
    [268_435_456, '268 MB'],
    [999_600, '1 MB'],
    [4_000_787_030_016, '4 TB'],
    [12_345_000_000_000, '12.3 TB'],
    [2_500_000_000_000_000_000, '2,500 PB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it('keeps every byte in the exact form', () => {
    expect(formatExactBytes(4_000_787_030_016)).toBe('4,000,787,030,016 bytes')
  })
})

describe('other units', () => {
  it('writes strips in powers of two', () => {
    expect(formatStrip(65_536)).toBe('64 KiB')
    expect(formatStrip(1_048_576)).toBe('1 MiB')
  })

  it('writes rates per second', () => expect(formatRate(182_000_000)).toBe('182 MB/s'))

  it('never rounds unfinished work up to 100 %', () => {
    expect(formatPercent(99.97)).toBe('99.9 %')
    expect(formatPercent(100)).toBe('100 %')
    expect(formatPercent(0)).toBe('0 %')
    expect(formatPercent(42)).toBe('42.0 %')
  })

  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [250, '4 min 10 s'],
    [3_600, '1 h'],
    [3_605, '1 h'],
    [183_600, '2 d 3 h'],
  ])('%d seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text))
})

describe('times', () => {
  const now = new Date('2026-11-20T12:00:00Z')

  it('tells how long ago', () => {
    expect(formatRelative('2026-11-20T09:00:00Z', now.getTime())).toBe('3 hours ago')
    expect(formatRelative('2026-11-20T11:59:58Z', now.getTime())).toBe('just now')
    expect(formatRelative('2026-11-20T12:05:00Z', now.getTime())).toBe('in 5 minutes')
  })

  it('adds the day to a clock time only when it is another day', () => {
    const clock = formatClock(new Date(now.getTime() + 60_000), now)
    expect(clock).toMatch(/^\d\d:\d\d$/)
    expect(formatClock(new Date(now.getTime() + 3 * 86_400_000), now)).toMatch(/Nov/)
  })
})
