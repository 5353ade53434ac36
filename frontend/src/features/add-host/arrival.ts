import type { Host } from '@/api/types'

export const STEPS = ['waiting', 'connecting', 'reporting'] as const
export type Step = (typeof STEPS)[number]

/** How far a host is that has enrolled; what its presence is on every other page too. */
export function stepOf(host: Host): Step {
  if (host.presence === 'connecting') return 'connecting'
  return host.presence === 'enrolled' ? 'waiting' : 'reporting'
}

export type Stall = 'nothing' | 'notConnected' | 'notReported'

/** Each is long enough for a healthy host on a slow machine. */
const NOTHING_MS = 90_000
const NOT_CONNECTED_MS = 20_000
const NOT_REPORTED_MS = 30_000

/** What is taking too long, if anything is. */
export function stallOf(host: Host | undefined, madeAt: string, nowMs: number): Stall | undefined {
  const since = (time: string) => nowMs - Date.parse(time)
  if (host === undefined) return since(madeAt) > NOTHING_MS ? 'nothing' : undefined
  const step = stepOf(host)
  if (step === 'waiting' && since(host.enrolled_at) > NOT_CONNECTED_MS) return 'notConnected'
  const connected = host.connected_at ?? host.enrolled_at
  if (step === 'connecting' && since(connected) > NOT_REPORTED_MS) return 'notReported'
  return undefined
}
