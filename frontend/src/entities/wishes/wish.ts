import type {
  PolicyPreset,
  RaidLevel,
  Reason,
  VirtualDriveCreate,
  VirtualDrivePreview,
} from '@/api/types'
import type { POLICY_OPTIONS } from '@/entities/virtual-drives/policy-options'
import { policyBody } from '@/entities/virtual-drives/presets'
import type { Goal } from './suggest'

type Word<Name extends keyof typeof POLICY_OPTIONS> = (typeof POLICY_OPTIONS)[Name][number]

/** All that the wizard's form holds. Absent numbers mean "as the controller does it". */
export interface Wish {
  mode: 'simple' | 'advanced'
  goal: Goal
  count: number | null
  keepSpare: boolean
  controllerId: string
  groupId: string | null
  level: RaidLevel | null
  driveIds: string[]
  spareIds: string[]
  drivesPerSpan: number | null
  stripBytes: number | null
  size: 'all' | 'part'
  /** Of a part; null while the field holds no size. */
  partBytes: number | null
  name: string
  write_policy: Word<'write_policy'>
  read_policy: Word<'read_policy'>
  io_policy: Word<'io_policy'>
  drive_cache_policy: Word<'drive_cache_policy'>
  degraded_policy: Word<'degraded_policy'>
  /** It has filled in the policies above; those that were changed since are sent beside it. */
  preset: PolicyPreset | null
  /** The risks that were accepted, see riskKey. */
  acceptedRisks: string
  /** Typed serial numbers of drives that carry data and may be overwritten. */
  serials: string[]
}

/** What a controller with a protected cache chooses where nobody chose, as the form begins with it. */
export const DEFAULTS = {
  write_policy: 'write_back',
  read_policy: 'adaptive_read_ahead',
  io_policy: 'direct',
  drive_cache_policy: 'default',
  degraded_policy: 'keep',
} as const

export function emptyWish(controllerId: string): Wish {
  return {
    mode: 'simple',
    goal: 'space',
    count: null,
    keepSpare: true,
    controllerId,
    groupId: null,
    level: null,
    driveIds: [],
    spareIds: [],
    drivesPerSpan: null,
    stripBytes: null,
    size: 'all',
    partBytes: null,
    name: '',
    ...DEFAULTS,
    preset: null,
    acceptedRisks: '',
    serials: [],
  }
}

/** Of any drive, and of a row. */
export const BLOCK_BYTES = 4096

/**
 * The size rounded down to whole rows, as the host wants it; while no preview has told what a row
 * is (the size before did not fit), to whole blocks, out of which the host makes rows itself.
 */
export function wholeRows(bytes: number, rowBytes: number | undefined): number {
  const unit = rowBytes || BLOCK_BYTES
  return Math.floor(bytes / unit) * unit
}

/** All there is only if that was chosen; null: a part, and the field does not say how much. */
const sizeOf = (wish: Wish) => (wish.size === 'all' ? 'all' : wish.partBytes)

export const lacksSize = (wish: Wish) => sizeOf(wish) === null

/** A policy that was left as it was is the controller's choice, which its preview tells with the reason. */
function policiesToSend(wish: Wish) {
  const body = policyBody(wish.preset, wish)
  if (wish.preset !== null) return body
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => DEFAULTS[name as keyof typeof DEFAULTS] !== value,
    ),
  ) as typeof body
}

/** What to ask the host; undefined while there is nothing to ask about. */
export function toPreview(wish: Wish): VirtualDrivePreview | undefined {
  if (wish.level === null) return undefined
  if (wish.groupId === null && wish.driveIds.length === 0) return undefined
  const size = sizeOf(wish)
  if (size === null) return undefined
  return {
    controller_id: wish.controllerId,
    level: wish.level,
    drive_ids: wish.groupId === null ? wish.driveIds : [],
    ...(wish.groupId !== null && { drive_group_id: wish.groupId }),
    ...(wish.drivesPerSpan !== null && { drives_per_span: wish.drivesPerSpan }),
    size_bytes: size,
    ...(wish.stripBytes !== null && { strip_bytes: wish.stripBytes }),
    ...(wish.name !== '' && { name: wish.name }),
    ...policiesToSend(wish),
    spare_ids: wish.spareIds,
    force: wish.serials.length > 0,
    serials: wish.serials,
  }
}

/** What is accepted are these risks, and no others that come with another choice. */
export const riskKey = (risks: Reason[]) => risks.map(({ code }) => code).join(' ')

/** A preset that gives something up needs a word; policies chosen one by one have had theirs. */
export const asksConsent = (wish: Wish, risks: Reason[]) => wish.preset !== null && risks.length > 0

export function toCreate(
  preview: VirtualDrivePreview,
  planDigest: string,
  acceptRisk = false,
): VirtualDriveCreate {
  return { ...preview, plan_digest: planDigest, ...(acceptRisk && { accept_risk: true }) }
}

/** The same by REST, ready for a shell. */
export function restCall(origin: string, body: VirtualDriveCreate): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''")
  return [
    `curl -X POST '${origin}/api/v1/virtual-drives' \\`,
    `  -H "Authorization: Bearer $ARRAYWRIGHT_TOKEN" \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=8' \\`,
    `  -d '${json}'`,
  ].join('\n')
}
