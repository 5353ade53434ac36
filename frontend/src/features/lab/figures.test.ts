import '@/locales/later/lab'
import { describe, expect, it } from 'vitest'
import '@/lib/i18n'
import { catalogue, predictedArray } from '@/test/factories-lab'
import { cachesOf } from './controller-choices'
import { arrayLabel, axesOf, ratios, ratioTone, stepLabels, valueAt } from './figures'
import { searchOf, toScenario } from './scenario'
import { choicesOf, readLabSearch } from './search'

const [database] = catalogue().workloads
if (!database) throw new Error('the catalogue has a database load')

const raid5 = predictedArray({ write_policy: 'write_back' }, (write, depth) => 100 + write + depth)
const through = predictedArray({ write_policy: 'write_through' }, () => 50)

describe('figures of a prediction', () => {
  it('draws operations over write shares, a queue depth at a time', () => {
    expect(axesOf(database)).toEqual({ x: 'write_percents', slice: 'depths' })
    expect(stepLabels(database, 'write_percents')).toEqual(['0 %', '50 %', '100 %'])
    expect(valueAt(raid5, database, { write_percents: 1, depths: 1 })).toBe(166)
  })

  it('draws block sizes where they vary', () => {
    const sequential = {
      ...database,
      pattern: 'sequential' as const,
      write_percents: [0],
      depths: [4],
      mixes: [[{ bytes: 512, percent: 100 }], [{ bytes: 65536, percent: 100 }]],
    }
    expect(axesOf(sequential)).toEqual({ x: 'mixes', slice: undefined })
    expect(stepLabels(sequential, 'mixes')).toEqual(['512 B', '64 KiB'])
  })

  it('names arrays by what differs', () => {
    expect(arrayLabel(raid5, [raid5])).toBe('RAID 5')
    expect(arrayLabel(raid5, [raid5, through])).toMatch(/^RAID 5, .*write-back/i)
    const failed = predictedArray({ failed: [0], drives: 4 })
    expect(arrayLabel(failed, [failed, raid5])).toMatch(/^RAID 5 ×4.*1 drive failed/)
    const single = predictedArray({ level: 'raid0', drives: 1 })
    expect([single, raid5].map((each) => arrayLabel(each, [single, raid5]))).toEqual([
      'Single drive',
      'RAID 5 ×8',
    ])
  })

  it('divides write-back by write-through, place by place', () => {
    const [ratio] = ratios(
      [raid5, through],
      database,
      (each) => each.write_policy === 'write_back',
      (one, other) => one.level === other.level,
      (each) => each.write_policy === 'write_through',
    )
    expect(ratio?.values).toEqual([
      [2.02, 3.02, 4.02],
      [2.32, 3.32, 4.32],
    ])
  })

  it('leaves out what a model refuses', () => {
    const refused = predictedArray({ write_policy: 'write_through', refused: 'no' })
    const found = ratios(
      [raid5, refused],
      database,
      (each) => each === raid5,
      () => true,
      (each) => each === refused,
    )
    expect(found).toEqual([])
  })

  it('has five colors', () => {
    expect([0.5, 0.9, 1, 1.5, 3].map(ratioTone)).toEqual([
      'much-less',
      'less',
      'same',
      'more',
      'much-more',
    ])
  })
})

describe('the address', () => {
  it('falls back where it is broken', () => {
    const search = readLabSearch({ counts: [8, 99], levels: 'raid5', drive: '../x', strip: 1 })
    expect(search).toMatchObject({ counts: ['8'], levels: ['raid5'] })
    expect(search.drive).toBeUndefined()
    expect(search.strip).toBeUndefined()
  })

  it('becomes a scenario', () => {
    const choices = choicesOf(
      readLabSearch({ levels: ['raid5', 'raid10'], failures: [0, 2], drive: 'intel-x25-e' }),
    )
    expect(toScenario(choices, catalogue())).toMatchObject({
      controller: { profile: 'native', cache_bytes: 16 * 1024 * 1024 },
      drives: { profile: 'intel-x25-e', count: 8 },
      sweep: { levels: ['raid5', 'raid10'], drive_counts: [8], failures: [[], [0, 2]] },
      workloads: [{ profile: 'w01-database' }],
    })
    expect(toScenario({ ...choices, drive: 'nobody' }, catalogue())).toBeUndefined()
  })

  it('gives a controller without a cache none', () => {
    const choices = choicesOf(readLabSearch({ controller: 'lsi-92xx-hba' }))
    const scenario = toScenario(choices, catalogue())
    expect(scenario?.controller.cache_bytes).toBe(0)
    expect(scenario?.sweep?.write_policies).toEqual(['write_through'])
  })

  it('keeps to the sizes of cache that a model has', () => {
    const [, , card] = catalogue().controllers
    if (!card) throw new Error('there is a card with a cache of its own')
    expect(cachesOf(card)).toEqual([0, 16, 64, 128])
    const choices = choicesOf(readLabSearch({ controller: card.name, cache: 256 }))
    expect(toScenario(choices, catalogue())?.controller.cache_bytes).toBe(128 << 20)
    const none = choicesOf(readLabSearch({ controller: card.name, cache: 0 }))
    expect(toScenario(none, catalogue())?.sweep?.write_policies).toEqual(['write_through'])
  })

  it('names controllers and oddities, and comes back from the scenario', () => {
    const search = {
      controller: 'lsi-megaraid-sata-300-8x',
      controllers: 2,
      quirks: ['mirror-notch', 'of-another-model', '../x'],
      drive: 'intel-x25-e',
    }
    const scenario = toScenario(choicesOf(readLabSearch(search)), catalogue())
    expect(scenario?.controller).toMatchObject({ count: 2, quirks: ['mirror-notch'] })
    if (!scenario) throw new Error('all of it is known')
    expect(searchOf(scenario)).toMatchObject({ controllers: '2', quirks: ['mirror-notch'] })
    const plain = toScenario(choicesOf({}), catalogue())
    expect(plain?.controller).toMatchObject({ count: 1, quirks: [] })
    const other = toScenario(choicesOf({ io: 'cached', driveCache: 'off' }), catalogue())
    if (!other) throw new Error('all of it is known')
    expect(searchOf(other)).toMatchObject({ io: 'cached', driveCache: 'off' })
  })
})
