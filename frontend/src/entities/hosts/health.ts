import {
  CircleCheck,
  CircleDashed,
  CircleOff,
  CloudCog,
  CloudOff,
  RefreshCw,
  ShieldAlert,
  ShieldQuestionMark,
  TriangleAlert,
} from 'lucide-react'
import type { Host } from '@/api/types'
import type { Look } from '@/entities/states/tones'

/** How little redundancy is left on a host, or why that is not known. */
export type Health =
  | 'lost'
  | 'none'
  | 'offline'
  | 'enrolled'
  | 'connecting'
  | 'reduced'
  | 'attention'
  | 'starting'
  | 'bare'
  | 'full'
  | 'empty'

export const healthLooks: Record<Health, Look> = {
  lost: { tone: 'crit', icon: CircleOff },
  none: { tone: 'crit', icon: ShieldAlert },
  offline: { tone: 'idle', icon: CloudOff },
  enrolled: { tone: 'idle', icon: CloudOff },
  connecting: { tone: 'idle', icon: CloudCog },
  reduced: { tone: 'warn', icon: ShieldQuestionMark },
  attention: { tone: 'warn', icon: TriangleAlert },
  starting: { tone: 'info', icon: RefreshCw },
  bare: { tone: 'ok', icon: CircleCheck },
  full: { tone: 'ok', icon: CircleCheck },
  empty: { tone: 'idle', icon: CircleDashed },
}

export function healthOf(host: Pick<Host, 'presence' | 'summary'>): Health {
  const { presence, summary } = host
  if (presence === 'offline' || presence === 'enrolled' || presence === 'connecting')
    return presence
  if (summary.worst_state === 'failed') return 'lost'
  if (summary.worst_state === 'degraded')
    return summary.drive_failures_left === 0 ? 'none' : 'reduced'
  if (summary.worst_state === 'starting') return 'starting'
  // Whatever is wrong has its alert; what only informs is nothing to attend to.
  if (summary.worst_alert !== null && summary.worst_alert !== 'info') return 'attention'
  if (summary.worst_state !== null && summary.worst_state !== 'optimal') return 'attention'
  if (summary.virtual_drives === 0) return 'empty'
  // Whole, but nothing on it was to have any redundancy.
  return summary.drive_failures_left === null ? 'bare' : 'full'
}
