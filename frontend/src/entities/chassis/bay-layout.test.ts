import { describe, expect, it } from 'vitest'
import { layoutBays, moveBetweenBays } from './bay-layout'

const slots = (shape: Parameters<typeof layoutBays>[0]) =>
  layoutBays(shape).map((row) => row.map((place) => place.slot))

describe('layoutBays', () => {
  it('counts along rows', () => {
    expect(slots({ slot_count: 8, rows: 2, columns: 4, order: 'row_major' })).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ])
  })

  it('counts along columns', () => {
    expect(slots({ slot_count: 6, rows: 2, columns: 3, order: 'column_major' })).toEqual([
      [0, 2, 4],
      [1, 3, 5],
    ])
  })

  it('gives an enclosure without a shape a generic grid', () => {
    expect(slots({ slot_count: 5, rows: 0, columns: 0, order: 'row_major' })).toEqual([
      [0, 1, 2, 3],
      [4],
    ])
  })

  it('never loses a slot when the shape is too small', () => {
    const shape = { slot_count: 9, rows: 2, columns: 4, order: 'row_major' }
    expect(layoutBays(shape).flat()).toHaveLength(9)
    expect(layoutBays({ ...shape, order: 'column_major' }).flat()).toHaveLength(9)
  })
})

describe('moveBetweenBays', () => {
  const grid = layoutBays({ slot_count: 7, rows: 2, columns: 4, order: 'row_major' })

  it.each([
    [0, 'ArrowRight', 1],
    [0, 'ArrowDown', 4],
    [6, 'ArrowUp', 2],
    [5, 'ArrowLeft', 4],
    [1, 'End', 3],
    [6, 'Home', 4],
  ])('from %d %s leads to %d', (from, key, to) =>
    expect(moveBetweenBays(grid, from, key, false)).toBe(to),
  )

  it('stays at the edges and over a hole', () => {
    expect(moveBetweenBays(grid, 0, 'ArrowLeft', false)).toBe(0)
    expect(moveBetweenBays(grid, 3, 'ArrowDown', false)).toBe(3)
  })

  it('goes to the corners with Ctrl', () => {
    expect(moveBetweenBays(grid, 5, 'Home', true)).toBe(0)
    expect(moveBetweenBays(grid, 1, 'End', true)).toBe(6)
  })

  it('leaves other keys alone', () => expect(moveBetweenBays(grid, 0, 'a', false)).toBeUndefined())
})
