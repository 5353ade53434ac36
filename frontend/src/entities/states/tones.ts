import {
  BatteryCharging,
  BatteryWarning,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleOff,
  CirclePause,
  LifeBuoy,
  type LucideIcon,
  RefreshCw,
  TriangleAlert,
  Unplug,
} from 'lucide-react'
import type {
  BatteryState,
  CacheState,
  CommandState,
  ControllerStatus,
  DriveState,
  ForeignOutcome,
  OperationState,
  Severity,
  Stripe,
  VirtualDriveState,
} from '@/api/types'
import type { Tone } from '@/ui/Status'

export interface Look {
  tone: Tone
  icon: LucideIcon
}

const WORST_FIRST: Tone[] = ['crit', 'warn', 'info', 'idle', 'ok']

/** Compares two tones for a list that begins with the worst. */
export const byTone = (a: Tone, b: Tone) => WORST_FIRST.indexOf(a) - WORST_FIRST.indexOf(b)

/** Words of newer agents are shown as they are, in a neutral tone. */
export const UNKNOWN_LOOK: Look = { tone: 'idle', icon: CircleHelp }

export const driveLooks: Record<DriveState, Look> = {
  unconfigured_good: { tone: 'idle', icon: CircleDashed },
  jbod: { tone: 'idle', icon: CircleDashed },
  unconfigured_bad: { tone: 'crit', icon: CircleAlert },
  hot_spare: { tone: 'info', icon: LifeBuoy },
  dedicated_hot_spare: { tone: 'info', icon: LifeBuoy },
  offline: { tone: 'crit', icon: CircleOff },
  failed: { tone: 'crit', icon: CircleAlert },
  rebuild: { tone: 'warn', icon: RefreshCw },
  copyback: { tone: 'info', icon: RefreshCw },
  online: { tone: 'ok', icon: CircleCheck },
  missing: { tone: 'crit', icon: Unplug },
  starting: { tone: 'info', icon: RefreshCw },
}

export const virtualDriveLooks: Record<VirtualDriveState, Look> = {
  optimal: { tone: 'ok', icon: CircleCheck },
  partially_degraded: { tone: 'warn', icon: TriangleAlert },
  degraded: { tone: 'crit', icon: TriangleAlert },
  offline: { tone: 'crit', icon: CircleOff },
  starting: { tone: 'info', icon: RefreshCw },
}

export const hostStripeLooks: Record<Stripe['state'], Look> = {
  optimal: { tone: 'ok', icon: CircleCheck },
  degraded: { tone: 'crit', icon: TriangleAlert },
  offline: { tone: 'crit', icon: CircleOff },
  incomplete: { tone: 'crit', icon: Unplug },
  starting: { tone: 'info', icon: RefreshCw },
}

export const controllerLooks: Record<ControllerStatus, Look> = {
  optimal: { tone: 'ok', icon: CircleCheck },
  needs_attention: { tone: 'warn', icon: TriangleAlert },
  degraded: { tone: 'crit', icon: TriangleAlert },
  failed: { tone: 'crit', icon: CircleAlert },
  starting: { tone: 'info', icon: RefreshCw },
}

export const batteryLooks: Record<BatteryState, Look> = {
  optimal: { tone: 'ok', icon: CircleCheck },
  charging: { tone: 'warn', icon: BatteryCharging },
  discharging: { tone: 'warn', icon: BatteryWarning },
  learning: { tone: 'info', icon: RefreshCw },
  low: { tone: 'warn', icon: BatteryWarning },
  degraded: { tone: 'warn', icon: TriangleAlert },
  failed: { tone: 'crit', icon: CircleAlert },
  missing: { tone: 'crit', icon: Unplug },
  unknown: { tone: 'warn', icon: CircleHelp },
}

export const cacheLooks: Record<CacheState, Look> = {
  ready: { tone: 'ok', icon: CircleCheck },
  recovering: { tone: 'info', icon: RefreshCw },
  draining: { tone: 'warn', icon: RefreshCw },
  suspended: { tone: 'warn', icon: CirclePause },
  failed: { tone: 'crit', icon: CircleAlert },
  missing: { tone: 'crit', icon: Unplug },
}

export const operationLooks: Record<OperationState, Look> = {
  running: { tone: 'info', icon: RefreshCw },
  paused: { tone: 'warn', icon: CirclePause },
  waiting: { tone: 'idle', icon: CircleDashed },
  completed: { tone: 'ok', icon: CircleCheck },
  failed: { tone: 'crit', icon: CircleAlert },
  stopped: { tone: 'idle', icon: CircleOff },
}

export const foreignLooks: Record<ForeignOutcome, Look> = {
  optimal: { tone: 'ok', icon: CircleCheck },
  resync: { tone: 'info', icon: RefreshCw },
  degraded: { tone: 'warn', icon: TriangleAlert },
  refused: { tone: 'crit', icon: CircleOff },
}

export const severityTones: Record<Severity, Tone> = {
  debug: 'idle',
  progress: 'idle',
  info: 'info',
  warning: 'warn',
  critical: 'crit',
  fatal: 'crit',
}

export const commandTones: Record<CommandState, Tone> = {
  queued: 'info',
  offered: 'info',
  accepted: 'info',
  running: 'info',
  succeeded: 'ok',
  failed: 'crit',
  refused: 'warn',
  expired: 'warn',
  indeterminate: 'crit',
}
