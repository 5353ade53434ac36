import { describe, expect, it } from 'vitest'
import { niceTop, stretches } from '@/ui/Plot'
import { axisTop, formatAxis, formatFigure, formatMicroseconds } from './figures'

describe('figures', () => {
  it('gives times a fitting unit', () => {
    expect([0, 85, 999, 1200, 85_000, 3_400_000].map(formatMicroseconds)).toEqual([
      '0 µs',
      '85 µs',
      '999 µs',
      '1.2 ms',
      '85 ms',
      '3.4 s',
    ])
  })

  it('ends axes at what people count in', () => {
    expect(axisTop('percent', 3)).toBe(100)
    expect(formatAxis('percent', 50)).toBe('50 %')
    expect(formatAxis('seconds', axisTop('seconds', 72 * 3600))).toBe('100 h')
    expect(formatAxis('seconds', axisTop('seconds', 20 * 60))).toBe('30 min')
    expect(formatAxis('bytes', axisTop('bytes', 420_000_000))).toBe('500 MB')
  })

  it.each([
    ['bytes', 0],
    ['bytes_per_second', 0],
    ['celsius', 25],
    ['percent', 0],
    ['seconds', 0],
  ])('gives the middle of an axis of %s a figure of its own', (unit, highest) => {
    const top = axisTop(unit, highest)
    expect(new Set([0, top / 2, top].map((value) => formatAxis(unit, value)))).toHaveLength(3)
  })

  it('shows a unit it does not know as a plain number', () => {
    expect(formatFigure('celsius', 27.4)).toBe('27 °C')
    expect(formatFigure('parsecs', 3)).toBe('3')
  })
})

const point = (x: number, value = 1) => ({ x, low: value, value, high: value })

describe('plot', () => {
  it('leaves gaps where nothing was known', () => {
    const parts = stretches([point(0), point(60), point(300), point(360)], 150)
    expect(parts.map((part) => part.map(({ x }) => x))).toEqual([
      [0, 60],
      [300, 360],
    ])
    expect(stretches([], 150)).toEqual([])
  })

  it('ends its axis at a round number', () => {
    expect([0, 1, 1.2, 2.2, 4, 7, 99, 101].map(niceTop)).toEqual([1, 1, 2, 2.5, 5, 10, 100, 200])
  })
})
