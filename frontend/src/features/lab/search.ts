import { readInteger, readText, readWord, readWords } from '@/lib/search'
import { IO_POLICIES, LEVELS, POLICIES, READ_POLICIES } from './array-words'
import { readGroups } from './group-text'
import { LOAD_NAMES, type LoadName, SECONDS } from './loads'
import { readMore } from './more-loads'

/** One: the single drive that the reviews held arrays against. */
export const COUNTS = ['1', '2', '3', '4', '5', '6', '8', '10', '12', '16', '24'] as const
/** How many drives have failed. */
export const FAILURES = ['0', '1', '2'] as const
/** The drives' own. */
export const DRIVE_CACHES = ['on', 'off'] as const
/** Requests for each point. */
export const EFFORTS = { quick: 500, normal: 2000, fine: 8000 } as const
export type Effort = keyof typeof EFFORTS
/** Requests of the first group that has them: what a cache holds at the beginning and the end has to
 * be little beside what passes through it. */
export const GROUP_EFFORTS: Record<Effort, number> = { quick: 10_000, normal: 20_000, fine: 50_000 }
/** To fill a cache before its writes are measured, at most. */
export const FILLS: Record<Effort, number> = { quick: 6000, normal: 6000, fine: 12_000 }

export const CONTROLLERS = ['1', '2'] as const

/** Lanes between a controller and its drives, with what 8b/10b leaves of them; see also 0: none. */
const expander = (lanes: number, gigabits: number) => ({
  lanes,
  gigabits,
  rate: lanes * gigabits * 1e8,
})
export const EXPANDERS = [expander(4, 3), expander(4, 6), expander(8, 6)] as const

/** What the page is about; nothing: arrays are compared. */
export const VIEWS = ['groups'] as const

const MIB = 1 << 20
/** Besides what a model is sold with. */
export const CACHES = [0, 16, 64, 256] as const
const PROFILE = /^[a-z0-9-]{1,32}$/

/** What is compared stands in the address, so that a comparison can be sent to somebody. */
export interface LabSearch {
  view?: (typeof VIEWS)[number] | undefined
  controller?: string | undefined
  drive?: string | undefined
  counts?: (typeof COUNTS)[number][] | undefined
  levels?: (typeof LEVELS)[number][] | undefined
  policies?: (typeof POLICIES)[number][] | undefined
  failures?: (typeof FAILURES)[number][] | undefined
  reading?: (typeof READ_POLICIES)[number] | undefined
  io?: (typeof IO_POLICIES)[number] | undefined
  driveCache?: (typeof DRIVE_CACHES)[number] | undefined
  strip?: number | undefined
  cache?: number | undefined
  /** Bytes per second of all drives together; nothing: no expander. */
  expander?: number | undefined
  /** How many, each with its own drives, under a stripe of the host. */
  controllers?: (typeof CONTROLLERS)[number] | undefined
  quirks?: string[] | undefined
  load?: string | undefined
  effort?: Effort | undefined
  /** Side by side on one controller, as group-text.ts writes them. */
  groups?: string[] | undefined
  /** Was simulated as it stands here. */
  run?: 'yes' | undefined
  /** Which of the steps that the curves leave out. */
  step?: string | undefined
  /** What is measured: on which virtual drive, with what, how long. */
  host?: string | undefined
  vd?: string | undefined
  measure?: LoadName[] | undefined
  /** Loads besides, as more-loads.ts writes them. */
  more?: string[] | undefined
  seconds?: (typeof SECONDS)[number] | undefined
}

function readProfile(value: unknown): string | undefined {
  const text = readText(value, 32)
  return text !== undefined && PROFILE.test(text) ? text : undefined
}

function readProfiles(value: unknown): string[] | undefined {
  const names = (Array.isArray(value) ? value : [value]).map(readProfile)
  const known = [...new Set(names.filter((name) => name !== undefined))].slice(0, 16)
  return known.length > 0 ? known : undefined
}

/** The router reads numbers out of the address; the words here are texts. */
const texts = (value: unknown) =>
  Array.isArray(value) ? value.map(String) : value === undefined ? undefined : String(value)

export function readLabSearch(search: Record<string, unknown>): LabSearch {
  return {
    view: readWord(search.view, VIEWS),
    controller: readProfile(search.controller),
    drive: readProfile(search.drive),
    counts: readWords(texts(search.counts), COUNTS),
    levels: readWords(search.levels, LEVELS),
    policies: readWords(search.policies, POLICIES),
    failures: readWords(texts(search.failures), FAILURES),
    reading: readWord(search.reading, READ_POLICIES),
    io: readWord(search.io, IO_POLICIES),
    driveCache: readWord(search.driveCache, DRIVE_CACHES),
    strip: readInteger(search.strip, 8192, MIB),
    cache: readInteger(search.cache, 0, 16 * 1024),
    expander: readInteger(search.expander, 1, 2 ** 40),
    controllers: readWord(texts(search.controllers), CONTROLLERS),
    quirks: readProfiles(search.quirks),
    load: readProfile(search.load),
    effort: readWord(search.effort, Object.keys(EFFORTS) as Effort[]),
    groups: readGroups(search.groups),
    run: readWord(search.run, ['yes']),
    step: readText(search.step, 32),
    host: readText(search.host, 36),
    vd: readText(search.vd, 36),
    measure: readWords(search.measure, LOAD_NAMES),
    more: readMore(search.more),
    seconds: readWord(texts(search.seconds), SECONDS),
  }
}

/** All of it, with what is compared if nothing is said. */
export interface LabChoices {
  controller: string
  drive: string
  counts: (typeof COUNTS)[number][]
  levels: (typeof LEVELS)[number][]
  policies: (typeof POLICIES)[number][]
  failures: (typeof FAILURES)[number][]
  reading: (typeof READ_POLICIES)[number]
  io: (typeof IO_POLICIES)[number]
  driveCache: (typeof DRIVE_CACHES)[number]
  strip: number
  cacheMib: number
  /** 0: none. */
  expander: number
  controllers: (typeof CONTROLLERS)[number]
  quirks: string[]
  load: string
  effort: Effort
}

export function choicesOf(search: LabSearch): LabChoices {
  return {
    controller: search.controller ?? 'native',
    drive: search.drive ?? 'fujitsu-mba3073rc',
    counts: search.counts ?? ['8'],
    levels: search.levels ?? ['raid0', 'raid5', 'raid6', 'raid10'],
    policies: search.policies ?? ['write_back'],
    failures: search.failures ?? ['0'],
    reading: search.reading ?? 'no_read_ahead',
    io: search.io ?? 'direct',
    driveCache: search.driveCache ?? 'on',
    strip: search.strip ?? 65536,
    cacheMib: search.cache ?? 16,
    expander: search.expander ?? 0,
    controllers: search.controllers ?? '1',
    quirks: search.quirks ?? [],
    load: search.load ?? 'w01-database',
    effort: search.effort ?? 'quick',
  }
}
