import type { Controller } from '@/api/types'
import { POLICY_OPTIONS } from '@/entities/virtual-drives/policy-options'
import { GOALS } from '@/entities/wishes/suggest'
import { DEFAULTS, emptyWish, type Wish } from '@/entities/wishes/wish'
import { readInteger, readList, readText, readWord } from '@/lib/search'

/**
 * What the form holds, as the address says it: a reload and the way back keep it. What was accepted
 * (risks, data of drives that are overwritten) is not among it: that is asked each time.
 */
export interface WizardSearch {
  mode?: 'advanced' | undefined
  /** Create in the free space of this drive group. */
  group?: string | undefined
  controller?: string | undefined
  goal?: Wish['goal'] | undefined
  count?: number | undefined
  spare?: 'no' | undefined
  level?: string | undefined
  /** In the order in which they were chosen: that is their order in the drive group. */
  drives?: string[] | undefined
  spares?: string[] | undefined
  per_span?: number | undefined
  strip?: number | undefined
  size?: 'part' | undefined
  bytes?: number | undefined
  name?: string | undefined
  write?: Wish['write_policy'] | undefined
  read?: Wish['read_policy'] | undefined
  io?: Wish['io_policy'] | undefined
  drive_cache?: Wish['drive_cache_policy'] | undefined
  degraded?: Wish['degraded_policy'] | undefined
  preset?: string | undefined
}

const ID_LENGTH = 36
const DRIVES_MAX = 256
const NAME_LENGTH = 100
const BYTES_MAX = Number.MAX_SAFE_INTEGER

export function readWizardSearch(search: Record<string, unknown>): WizardSearch {
  return {
    mode: readWord(search.mode, ['advanced']),
    group: readText(search.group, ID_LENGTH),
    controller: readText(search.controller, ID_LENGTH),
    goal: readWord(search.goal, GOALS),
    count: readInteger(search.count, 1, DRIVES_MAX),
    spare: readWord(search.spare, ['no']),
    level: readText(search.level),
    drives: readList(search.drives, DRIVES_MAX, ID_LENGTH),
    spares: readList(search.spares, DRIVES_MAX, ID_LENGTH),
    per_span: readInteger(search.per_span, 1, DRIVES_MAX),
    strip: readInteger(search.strip, 1, BYTES_MAX),
    size: readWord(search.size, ['part']),
    bytes: readInteger(search.bytes, 1, BYTES_MAX),
    name: readText(search.name, NAME_LENGTH),
    write: readWord(search.write, POLICY_OPTIONS.write_policy),
    read: readWord(search.read, POLICY_OPTIONS.read_policy),
    io: readWord(search.io, POLICY_OPTIONS.io_policy),
    drive_cache: readWord(search.drive_cache, POLICY_OPTIONS.drive_cache_policy),
    degraded: readWord(search.degraded, POLICY_OPTIONS.degraded_policy),
    preset: readText(search.preset),
  }
}

/** Left out of the address if it is what the form begins with. */
const unless = <Value>(value: Value, usual: Value) => (value === usual ? undefined : value)
const some = (ids: string[]) => (ids.length > 0 ? ids : undefined)

export function toSearch(
  wish: Wish,
  { mode, group }: Pick<WizardSearch, 'mode' | 'group'>,
): WizardSearch {
  const empty = emptyWish(wish.controllerId)
  return {
    mode,
    group,
    controller: group === undefined ? wish.controllerId : undefined,
    goal: unless(wish.goal, empty.goal),
    count: wish.count ?? undefined,
    spare: wish.keepSpare ? undefined : 'no',
    level: wish.level ?? undefined,
    drives: some(wish.driveIds),
    spares: some(wish.spareIds),
    per_span: wish.drivesPerSpan ?? undefined,
    strip: wish.stripBytes ?? undefined,
    size: wish.size === 'part' ? 'part' : undefined,
    bytes: wish.partBytes ?? undefined,
    name: wish.name || undefined,
    write: unless(wish.write_policy, DEFAULTS.write_policy),
    read: unless(wish.read_policy, DEFAULTS.read_policy),
    io: unless(wish.io_policy, DEFAULTS.io_policy),
    drive_cache: unless(wish.drive_cache_policy, DEFAULTS.drive_cache_policy),
    degraded: unless(wish.degraded_policy, DEFAULTS.degraded_policy),
    preset: wish.preset?.name,
  }
}

/** A level or preset that the controller does not know is left out. */
export function fromSearch(search: WizardSearch, controller: Controller): Wish {
  const empty = emptyWish(controller.id)
  return {
    ...empty,
    goal: search.goal ?? empty.goal,
    count: search.count ?? null,
    keepSpare: search.spare !== 'no',
    level: controller.levels.find(({ level }) => level === search.level)?.level ?? null,
    driveIds: search.drives ?? [],
    spareIds: search.spares ?? [],
    drivesPerSpan: search.per_span ?? null,
    stripBytes: controller.strip_sizes_bytes.find((bytes) => bytes === search.strip) ?? null,
    size: search.size ?? empty.size,
    partBytes: search.size === 'part' ? (search.bytes ?? null) : null,
    name: search.name ?? '',
    write_policy: search.write ?? DEFAULTS.write_policy,
    read_policy: search.read ?? DEFAULTS.read_policy,
    io_policy: search.io ?? DEFAULTS.io_policy,
    drive_cache_policy: search.drive_cache ?? DEFAULTS.drive_cache_policy,
    degraded_policy: search.degraded ?? DEFAULTS.degraded_policy,
    preset: controller.presets.find(({ name }) => name === search.preset) ?? null,
  }
}
