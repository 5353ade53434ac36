import { describe, expect, it } from 'vitest'
import { emptyWish, restCall, toPreview, wholeRows } from '@/entities/wishes/wish'
import * as make from '@/test/factories'
import { completeWish } from './complete'
import { drivesWithData } from './DataConsent'

const controller = make.controller()
const inventory = {
  controllers: [controller],
  enclosures: [make.enclosure()],
  drives: [make.member(0), ...[1, 2, 3, 4, 5].map((slot) => make.drive(slot))],
  groups: [make.group()],
  virtualDrives: [],
  operations: [],
}

describe('the wish', () => {
  it('is completed with a suggestion in the simple mode', () => {
    const wish = completeWish(emptyWish(controller.id), controller, inventory, undefined)
    expect(wish.level).toBe('raid5')
    expect(wish.driveIds).toEqual([1, 2, 3, 4].map(make.driveId))
    expect(wish.spareIds).toEqual([make.driveId(5)])
  })

  it('drops drives that somebody else has taken meanwhile', () => {
    const draft = {
      ...emptyWish(controller.id),
      mode: 'advanced' as const,
      level: 'raid5' as const,
      driveIds: [0, 1, 2].map(make.driveId),
    }
    const wish = completeWish(draft, controller, inventory, undefined)
    expect(wish.driveIds).toEqual([1, 2].map(make.driveId))
  })

  it('takes level and place from a drive group', () => {
    const wish = completeWish(
      { ...emptyWish(controller.id), mode: 'advanced' },
      controller,
      inventory,
      make.group({ level: 'raid6' }),
    )
    expect(toPreview(wish)).toMatchObject({
      level: 'raid6',
      drive_group_id: make.GROUP_ID,
      drive_ids: [],
    })
  })

  it('asks nothing while nothing is chosen', () => {
    expect(toPreview(emptyWish(controller.id))).toBeUndefined()
  })

  it('forces only with typed serial numbers', () => {
    const wish = completeWish(emptyWish(controller.id), controller, inventory, undefined)
    expect(toPreview(wish)).toMatchObject({ force: false, serials: [] })
    expect(toPreview({ ...wish, serials: ['SN1'] })).toMatchObject({ force: true })
  })

  it('leaves to the controller what nobody changed', () => {
    const wish = completeWish(emptyWish(controller.id), controller, inventory, undefined)
    const body = toPreview(wish)
    for (const policy of ['write_policy', 'read_policy', 'io_policy', 'drive_cache_policy'])
      expect(body).not.toHaveProperty(policy)
    expect(toPreview({ ...wish, write_policy: 'write_through' })).toMatchObject({
      write_policy: 'write_through',
    })
    expect(toPreview({ ...wish, write_policy: 'write_through' })).not.toHaveProperty('read_policy')
  })

  it('rounds sizes down to whole rows', () => {
    expect(wholeRows(1_000_000, 196_608)).toBe(983_040)
    expect(wholeRows(1_000_000, undefined)).toBe(999_424)
  })

  it('quotes the REST call for a shell', () => {
    const body = { controller_id: 'c', level: 'raid0' as const, drive_ids: [], name: "it's" }
    const call = restCall('https://aw.example', body as never)
    expect(call).toContain("'https://aw.example/api/v1/virtual-drives'")
    expect(call).toContain(`"name":"it'\\''s"`)
  })

  it('finds the drives with data by path or key', () => {
    const refusals = [
      make.reason('drive_has_data', 'x', { drive: '/c0/e252/s1' }),
      make.reason('drive_has_data', 'x', { drive: 'd2' }),
      make.reason('name_taken', 'x', { drive: 'd3' }),
    ]
    const found = drivesWithData(refusals, inventory.drives)
    expect(found.map((drive) => drive.slot)).toEqual([1, 2])
  })
})
