import { IO_POLICIES, LEVELS, POLICIES, READ_POLICIES } from './array-words'
import { isLoadText } from './more-loads'

/** A controller of the lab has at most so many at a time, and a group so many drives. */
export const GROUPS_MAX = 8
export const DRIVES_MAX = 64
export const NAME_MAX = 32

/** What befalls a group, and how much of it: milliseconds, MiB or percent. */
export const TROUBLES = {
  none: { amount: 0, min: 0, max: 0 },
  slow: { amount: 20, min: 1, max: 60_000 },
  fails: { amount: 50, min: 0, max: 86_400_000 },
  latent: { amount: 64, min: 1, max: 1_000_000 },
  rebuild: { amount: 30, min: 0, max: 100 },
} as const
export type TroubleKind = keyof typeof TROUBLES
export const TROUBLE_KINDS = Object.keys(TROUBLES) as TroubleKind[]

/** One drive group as it is chosen. */
export interface SideGroup {
  name: string
  drive: string
  count: number
  level: (typeof LEVELS)[number]
  strip: number
  writing: (typeof POLICIES)[number]
  reading: (typeof READ_POLICIES)[number]
  io: (typeof IO_POLICIES)[number]
  /** As more-loads.ts writes it. */
  load: string
  trouble: TroubleKind
  amount: number
}

/*
 * As it stands in the address, the name at the end, since it may be any text:
 * "fujitsu-mba3073rc~4~raid10~65536~wb.nra.direct~w01-database/0.3.0.4~slow.20~Database"
 */
const SHORT = {
  wt: 'write_through',
  wb: 'write_back',
  nra: 'no_read_ahead',
  ra: 'read_ahead',
  ara: 'adaptive_read_ahead',
} as const
const GROUP =
  /^([a-z0-9-]{1,32})~(\d{1,2})~(\w+)~(\d{4,7})~(wt|wb)\.(nra|ra|ara)\.(\w+)~([^~]+)~([a-z]+)\.(\d{1,8})~(.{0,32})$/u

type Policy = (typeof SHORT)[keyof typeof SHORT]
const shortOf = (policy: Policy) =>
  (Object.keys(SHORT) as (keyof typeof SHORT)[]).find((short) => SHORT[short] === policy)

export const groupText = (group: SideGroup) =>
  [
    group.drive,
    group.count,
    group.level,
    group.strip,
    `${shortOf(group.writing)}.${shortOf(group.reading)}.${group.io}`,
    group.load,
    `${group.trouble}.${group.amount}`,
    group.name,
  ].join('~')

/** Undefined if it is none; whether the models exist the catalogue says. */
export function readGroup(text: unknown): SideGroup | undefined {
  if (typeof text !== 'string') return undefined
  const [, drive = '', count, level, strip, wt, ra, io, load = '', kind, amount, name = ''] =
    GROUP.exec(text) ?? []
  const group = {
    name,
    drive,
    count: Number(count),
    level: LEVELS.find((each) => each === level),
    strip: Number(strip),
    writing: POLICIES.find((each) => each === SHORT[wt as 'wt']),
    reading: READ_POLICIES.find((each) => each === SHORT[ra as 'ra']),
    io: IO_POLICIES.find((each) => each === io),
    load,
    trouble: TROUBLE_KINDS.find((each) => each === kind),
    amount: Number(amount),
  }
  const isWhole =
    group.level !== undefined &&
    group.io !== undefined &&
    group.trouble !== undefined &&
    group.count >= 1 &&
    group.count <= DRIVES_MAX &&
    group.strip >= 8192 &&
    group.strip <= 1 << 20 &&
    group.amount >= TROUBLES[group.trouble].min &&
    group.amount <= TROUBLES[group.trouble].max &&
    isLoadText(load)
  return isWhole ? (group as SideGroup) : undefined
}

export function readGroups(value: unknown): string[] | undefined {
  const given = Array.isArray(value) ? value : [value]
  const known = given.filter((each): each is string => readGroup(each) !== undefined)
  return known.length > 0 ? known.slice(0, GROUPS_MAX) : undefined
}

const ARRAY = {
  drive: 'fujitsu-mba3073rc',
  count: 4,
  strip: 65536,
  writing: 'write_back',
  reading: 'no_read_ahead',
  io: 'direct',
  trouble: 'none',
  amount: 0,
} as const

/** To begin with: a stream that fills the cache takes room from a database. */
export const EXAMPLE: readonly SideGroup[] = [
  { ...ARRAY, name: 'Database', level: 'raid10', load: 'w01-database/0.3.0.4' },
  { ...ARRAY, name: 'Backup', level: 'raid5', load: 'own/sequential/262144/100/8' },
]

export function groupsOf(texts: readonly string[] | undefined): SideGroup[] {
  const groups = (texts ?? []).map(readGroup).filter((group) => group !== undefined)
  return groups.length > 0 ? groups : [...EXAMPLE]
}

/** "Database", "Database 2": what no other group is called. */
export function freeName(name: string, groups: readonly SideGroup[]): string {
  const stem = name.replace(/ \d+$/, '')
  const taken = new Set(groups.map((group) => group.name))
  const names = Array.from({ length: GROUPS_MAX + 1 }, (_, index) =>
    index === 0 ? stem : `${stem.slice(0, NAME_MAX - 2)} ${index + 1}`,
  )
  return names.find((each) => !taken.has(each)) ?? name
}
