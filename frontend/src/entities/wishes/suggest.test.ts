import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { alikeDrives, defaultCount, legalCounts, suggest } from './suggest'

const { levels } = make.controller()
const free = (count: number) => Array.from({ length: count }, (_, slot) => make.drive(slot))

describe('drives of a suggestion', () => {
  it('takes the largest set of drives of one kind', () => {
    const drives = [
      make.drive(0, { usable_bytes: 1 }),
      make.drive(3),
      make.drive(1),
      make.drive(2, { media: 'ssd' }),
    ]
    expect(alikeDrives(drives).map((drive) => drive.slot)).toEqual([1, 3])
  })

  it('leaves out drives that are used, pulled or unsuitable', () => {
    const drives = [
      make.member(0),
      make.drive(1, { present: false }),
      make.drive(2, { unsuitable: make.reason('drive_unsuitable_mounted', 'mounted') }),
      make.drive(3),
    ]
    expect(alikeDrives(drives).map((drive) => drive.slot)).toEqual([3])
  })
})

describe('levels of a suggestion', () => {
  it('counts as the controller says', () => {
    const rule = { ...make.controller().levels[4], drives_max: 6 } as (typeof levels)[number]
    expect(legalCounts(rule, 8)).toEqual([4, 6])
    expect(legalCounts(rule, 3)).toEqual([])
  })

  it('goes to the next level where the first does not fit', () => {
    expect(suggest('space', levels, free(5))?.level).toBe('raid5')
    expect(suggest('space', levels, free(2))?.level).toBe('raid1')
    expect(suggest('safety', levels, free(3))).toBeUndefined()
  })

  it('offers only levels the controller has', () => {
    const without = levels.filter((rule) => rule.level !== 'raid5')
    expect(suggest('space', without, free(5))?.level).toBe('raid1')
  })

  it('keeps one drive back where it can', () => {
    const five = suggest('space', levels, free(5))
    expect(five && defaultCount(five)).toBe(4)
    const three = suggest('space', levels, free(3))
    expect(three && defaultCount(three)).toBe(3)
  })
})
