import '@/locales/later/lab'
import { describe, expect, it } from 'vitest'
import '@/lib/i18n'
import { catalogue, predictedArray } from '@/test/factories-lab'
import { arrayLabel, axesOf, ratios, ratioTone, stepLabels, valueAt } from './figures'
import { toScenario } from './scenario'
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

  it('has five colours', () => {
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
    expect(toScenario(choices, catalogue())?.controller.cache_bytes).toBe(0)
  })
})
