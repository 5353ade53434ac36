import type { AlertState } from '@/api/types'

export const ALERT_STATES = ['open', 'acknowledged', 'resolved'] as const

export interface AlertsSearch {
  state?: AlertState
}
