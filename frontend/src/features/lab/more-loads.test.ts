import { describe, expect, it } from 'vitest'
import { catalogue } from '@/test/factories-lab'
import { moreLoads, namedText, ownText, readMore } from './more-loads'

describe('loads besides the offered ones', () => {
  it('stand in the address as what they are', () => {
    const own = ownText({ pattern: 'random', bytes: 8192, writePercent: 33, depth: 16 })
    const named = namedText('w01-database', { mixes: 0, write_percents: 2, workers: 0, depths: 1 })
    expect([own, named]).toEqual(['own/random/8192/33/16', 'w01-database/0.2.0.1'])
    expect(readMore([own, named, own])).toEqual([own, named])
    const [mine, database] = moreLoads([own, named], catalogue())
    expect(mine).toMatchObject({
      workload: undefined,
      load: { pattern: 'random', blocks: [{ bytes: 8192 }], write_percent: 33, depth: 16 },
    })
    expect(database).toMatchObject({
      workload: { id: 'W01' },
      load: { blocks: [{ bytes: 8192, percent: 100 }], write_percent: 100, depth: 16, workers: 1 },
    })
  })

  it('take the zone and the files of the workload with them', () => {
    const [database] = catalogue().workloads
    if (!database) throw new Error('the catalogue has a database load')
    const files = { ...database, name: 'files', pattern: 'files_create' as const, file_bytes: 4096 }
    const known = catalogue({ workloads: [{ ...files, zone_bytes: 32e9, start_bytes: 7 }] })
    expect(moreLoads(['files/0.0.0.0'], known)[0]?.load).toMatchObject({
      pattern: 'files_create',
      zone_bytes: 32e9,
      start_bytes: 7,
      file_bytes: 4096,
    })
  })

  it('fall back where the address is broken', () => {
    expect(readMore(['own/random/1000/0/1', 'own/random/4096/101/1', 'own/x', 7])).toBeUndefined()
    expect(readMore(['own/random/4096/0/0', '../x/0.0.0.0', 'w01-database/0.0.0'])).toBeUndefined()
    expect(readMore(undefined)).toBeUndefined()
    expect(
      readMore(Array.from({ length: 12 }, (_, at) => `w01-database/0.0.0.${at}`)),
    ).toHaveLength(8)
    expect(moreLoads(['nobody/0.0.0.0', 'w01-database/0.9.0.0'], catalogue())).toEqual([])
    expect(moreLoads(['w01-database/0.0.0.0'], undefined)).toEqual([])
  })
})
