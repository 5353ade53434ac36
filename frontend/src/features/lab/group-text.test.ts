import '@/locales/later/lab'
import { describe, expect, it } from 'vitest'
import { catalogue } from '@/test/factories-lab'
import {
  EXAMPLE,
  freeName,
  groupsOf,
  groupText,
  readGroup,
  readGroups,
  type SideGroup,
} from './group-text'
import { groupsSearchOf, toGroupsScenario } from './groups-scenario'
import { choicesOf, readLabSearch } from './search'

const [database, backup] = EXAMPLE as [SideGroup, SideGroup]
const known = catalogue({
  workloads: catalogue().workloads.map((each) => ({
    ...each,
    write_percents: [0, 10, 20, 30],
    depths: [1, 2, 4, 8, 16],
  })),
})

describe('a group in the address', () => {
  it('is read as it was written, its name whatever it is', () => {
    const slow: SideGroup = { ...database, name: 'a~b / ü', trouble: 'slow', amount: 40 }
    expect(groupText(slow)).toBe(
      'fujitsu-mba3073rc~4~raid10~65536~wb.nra.direct~w01-database/0.3.0.4~slow.40~a~b / ü',
    )
    expect(readGroup(groupText(slow))).toEqual(slow)
    expect(groupsOf([groupText(slow), groupText(backup)])).toEqual([slow, backup])
  })

  it.each([
    ['not a group'],
    [groupText({ ...database, count: 65 })],
    [groupText({ ...database, strip: 4096 })],
    [groupText({ ...database, level: 'raid7' as 'raid5' })],
    [groupText({ ...database, load: 'own/random/1000/0/1' })],
    [groupText({ ...database, trouble: 'slow', amount: 0 })],
    [groupText({ ...database, trouble: 'rebuild', amount: 101 })],
    [groupText({ ...database, trouble: 'melts' as 'slow', amount: 1 })],
    [groupText({ ...database, name: 'x'.repeat(33) })],
    [7],
  ])('is left out where it is broken: %s', (text) => {
    expect(readGroups([text])).toBeUndefined()
  })

  it('is one of eight at most; without any there is an example', () => {
    expect(readGroups(Array.from({ length: 9 }, () => groupText(database)))).toHaveLength(8)
    expect(groupsOf(undefined)).toEqual(EXAMPLE)
  })

  it('is duplicated under a name that is free', () => {
    expect(freeName('Database', EXAMPLE)).toBe('Database 2')
    expect(freeName('Database 2', [...EXAMPLE, { ...database, name: 'Database 2' }])).toBe(
      'Database 3',
    )
  })
})

describe('groups as a scenario', () => {
  const troubles: SideGroup[] = [
    database,
    { ...backup, trouble: 'fails', amount: 50 },
    { ...backup, name: 'latent', trouble: 'latent', amount: 64 },
    { ...backup, name: 'anew', trouble: 'rebuild', amount: 30 },
    { ...backup, name: 'slow', trouble: 'slow', amount: 20, io: 'cached' },
  ]
  const search = readLabSearch({
    view: 'groups',
    cache: 64,
    expander: 1_200_000_000,
    effort: 'fine',
    groups: troubles.map(groupText),
  })

  it('have what befalls them, on the first drive', () => {
    const scenario = toGroupsScenario(choicesOf(search), troubles, known)
    expect(scenario).toMatchObject({
      controller: {
        profile: 'native',
        cache_bytes: 64 << 20,
        expander_bytes_per_s: 1_200_000_000,
      },
      limits: { operations: 50_000 },
      alone: true,
    })
    expect(scenario?.groups[0]?.workload).toEqual({
      profile: 'w01-database',
      mixes: [[{ bytes: 8192, percent: 100 }]],
      write_percents: [30],
      workers: [1],
      depths: [16],
    })
    expect(scenario?.groups.map(({ faults, rebuild }) => rebuild ?? faults)).toEqual([
      [],
      [{ kind: 'fails', member: 0, after_ms: 50 }],
      [{ kind: 'latent_errors', member: 0, offset_bytes: 0, length_bytes: 64 << 20 }],
      { member: 0, rate_percent: 30 },
      [{ kind: 'slow', member: 0, latency_ms: 20 }],
    ])
  })

  it('lead back to the same choices', () => {
    const scenario = toGroupsScenario(choicesOf(search), troubles, known)
    if (!scenario) throw new Error('all of it is known')
    expect(groupsSearchOf(scenario, known)).toEqual({ ...search, controller: 'native' })
  })

  it('write through without a cache, and keep nothing', () => {
    const none = toGroupsScenario(choicesOf({ ...search, cache: 0 }), troubles, known)
    expect(none?.groups.map(({ array }) => [array.write_policy, array.io_policy])).toEqual(
      troubles.map(() => ['write_through', 'direct']),
    )
  })

  it('are none where a model or a step is not known', () => {
    const choices = choicesOf(search)
    expect(toGroupsScenario(choices, [{ ...database, drive: 'nobody' }], known)).toBeUndefined()
    expect(toGroupsScenario(choices, [database], catalogue())).toBeUndefined()
  })

  it('are called by their place without a name', () => {
    const unnamed = toGroupsScenario(choicesOf(search), [database, { ...backup, name: '' }], known)
    expect(unnamed?.groups.map(({ name }) => name)).toEqual(['Database', 'Group 2'])
  })
})
