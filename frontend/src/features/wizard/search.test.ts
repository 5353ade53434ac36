import { describe, expect, it } from 'vitest'
import { emptyWish } from '@/entities/wishes/wish'
import * as make from '@/test/factories'
import { fromSearch, readWizardSearch, toSearch } from './search'

const controller = make.controller()
const nothing = Object.fromEntries(Object.keys(readWizardSearch({})).map((key) => [key, undefined]))

describe('the address of the wizard', () => {
  it('says nothing of what the form begins with but the controller', () => {
    const said = toSearch(emptyWish(controller.id), {})
    expect(said).toEqual({ ...nothing, controller: controller.id })
    expect(fromSearch(said, controller)).toEqual(emptyWish(controller.id))
  })

  it('gives back what was chosen, drives in their order, and no consent', () => {
    const wish = {
      ...emptyWish(controller.id),
      level: 'raid5' as const,
      driveIds: ['b', 'a', 'c'],
      spareIds: ['d'],
      size: 'part' as const,
      partBytes: 4096,
      keepSpare: false,
      name: 'archive',
      io_policy: 'cached' as const,
    }
    const said = toSearch({ ...wish, serials: ['SN0'], acceptedRisks: 'loss' }, {})
    expect(fromSearch(readWizardSearch({ ...said }), controller)).toEqual(wish)
  })

  it('leaves out what it cannot read', () => {
    const broken = readWizardSearch({ level: 'raid99', strip: 7, size: 'half', count: -1, goal: 5 })
    expect(fromSearch(broken, controller)).toEqual(emptyWish(controller.id))
  })

  it('takes a part without a size for an empty field, never for all there is', () => {
    const wish = fromSearch(readWizardSearch({ size: 'part' }), controller)
    expect(wish).toMatchObject({ size: 'part', partBytes: null })
  })
})
