import type { VirtualDriveState } from '@/api/types'

/** Parts of the lists of virtual drives and of drive groups: they share their states. */
export const ARRAY_SHOWS = ['degraded', 'offline', 'optimal'] as const
export type ArrayShow = (typeof ARRAY_SHOWS)[number]

export const ARRAY_STATES: Record<ArrayShow, VirtualDriveState[]> = {
  degraded: ['partially_degraded', 'degraded'],
  offline: ['offline'],
  optimal: ['optimal'],
}
