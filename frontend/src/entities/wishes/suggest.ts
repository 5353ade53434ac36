import type { Drive, LevelRule, RaidLevel } from '@/api/types'

/**
 * The simple mode: a goal becomes a level and a set of alike drives. Which levels exist and how many
 * drives each takes comes from the controller; here are only preferences, no RAID rule.
 */
export const GOALS = ['space', 'safety', 'speed', 'mirror', 'scratch'] as const
export type Goal = (typeof GOALS)[number]

const PREFERENCES: Record<Goal, RaidLevel[]> = {
  space: ['raid5', 'raid1'],
  safety: ['raid6'],
  speed: ['raid10', 'raid1'],
  mirror: ['raid1'],
  scratch: ['raid0'],
}

/** A mirror of more than two copies is asked for on purpose, in the advanced mode. */
const MIRROR_DRIVES = 2

export function isFree(drive: Drive): boolean {
  return drive.state === 'unconfigured_good' && drive.present && drive.unsuitable === null
}

function bySlot(a: Drive, b: Drive): number {
  return (a.eid ?? 0) - (b.eid ?? 0) || (a.slot ?? a.did) - (b.slot ?? b.did)
}

/** The largest set of free drives of one kind and size: unlike drives waste space. */
export function alikeDrives(drives: Drive[]): Drive[] {
  const sets = new Map<string, Drive[]>()
  for (const drive of drives.filter(isFree)) {
    const kind = `${drive.media}/${drive.block_bytes}/${drive.usable_bytes}`
    sets.set(kind, [...(sets.get(kind) ?? []), drive])
  }
  const largest = [...sets.values()].reduce<Drive[]>(
    (best, set) => (set.length > best.length ? set : best),
    [],
  )
  return largest.toSorted(bySlot)
}

/** The numbers of drives a level takes, out of those that are there. */
export function legalCounts(rule: LevelRule, available: number): number[] {
  const step = Math.max(rule.drives_multiple, 1)
  const counts: number[] = []
  for (let count = rule.drives_min; count <= Math.min(rule.drives_max, available); count += 1) {
    if (count % step === 0) counts.push(count)
  }
  return counts
}

export interface Suggestion {
  level: RaidLevel
  counts: number[]
  drives: Drive[]
}

export function suggest(goal: Goal, rules: LevelRule[], drives: Drive[]): Suggestion | undefined {
  const alike = alikeDrives(drives)
  for (const level of PREFERENCES[goal]) {
    const rule = rules.find((each) => each.level === level)
    if (!rule) continue
    const max = level === 'raid1' ? MIRROR_DRIVES : alike.length
    const counts = legalCounts(rule, Math.min(alike.length, max))
    if (counts.length > 0) return { level, counts, drives: alike }
  }
  return undefined
}

/** All alike drives but one for a spare, if that is a legal number; else the largest legal one. */
export function defaultCount({ counts, drives }: Suggestion): number {
  const leavingOne = counts.filter((count) => count < drives.length)
  return leavingOne.at(-1) ?? counts.at(-1) ?? 0
}
