import type { Controller, ControllerUpdate, PatrolMode } from '@/api/types'
import { serverNow } from '@/lib/clock'
import { toLocalField } from '@/lib/format'

export const PATROL_MODES: PatrolMode[] = ['auto', 'manual', 'disabled']

/** The settings of the patrol read as they stand in the form. */
export interface PatrolDraft {
  mode: PatrolMode
  rate: number | string
  delay: number | string
  drives: number | string
  ssds: boolean
  next: string
}

/** Null: its host has no patrol read. */
export function patrolDraft(controller: Controller): PatrolDraft | null {
  if (!controller.patrol_mode) return null
  return {
    mode: controller.patrol_mode,
    rate: controller.patrol_rate_percent ?? 0,
    delay: controller.patrol_delay_hours ?? 0,
    drives: controller.patrol_drives_max ?? 1,
    ssds: controller.patrol_ssds ?? false,
    next: toLocalField(controller.patrol?.next_at ?? null),
  }
}

function isBetween(value: number | string, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most
}

/** Which fields cannot be saved as they stand; what the mode has no use for is not shown. */
export function patrolFaults(draft: PatrolDraft, before: PatrolDraft) {
  const isAuto = draft.mode === 'auto'
  const isNew = draft.next !== '' && draft.next !== before.next
  return {
    rate: !isBetween(draft.rate, 0, 100),
    delay: isAuto && !isBetween(draft.delay, 0, 8760),
    drives: !isBetween(draft.drives, 1, 255),
    next: isAuto && isNew && Date.parse(draft.next) <= serverNow(),
  }
}

/** Only what differs; undefined: it cannot be saved as it stands. */
export function patrolUpdate(
  draft: PatrolDraft | null,
  before: PatrolDraft | null,
): ControllerUpdate | undefined {
  if (!draft || !before) return {}
  if (Object.values(patrolFaults(draft, before)).includes(true)) return undefined
  const { mode, rate, delay, drives, ssds, next } = draft
  const isAuto = mode === 'auto'
  return {
    ...(mode !== before.mode && { patrol_mode: mode }),
    ...(rate !== before.rate && { patrol_rate_percent: Number(rate) }),
    ...(isAuto && delay !== before.delay && { patrol_delay_hours: Number(delay) }),
    ...(drives !== before.drives && { patrol_drives_max: Number(drives) }),
    ...(ssds !== before.ssds && { patrol_ssds: ssds }),
    ...(isAuto &&
      next !== '' &&
      next !== before.next && { patrol_next_at: new Date(next).toISOString() }),
  }
}
