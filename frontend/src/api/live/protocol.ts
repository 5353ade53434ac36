import type { components } from '../schema.gen'

export type LiveItem = components['schemas']['LiveItem']
export type LiveChange = components['schemas']['LiveChange']
export type LiveEnd = components['schemas']['LiveEnd']

/** What a stream tells, in the order of one connection: ready, then changes and resets, then end. */
export type LiveMessage =
  | { type: 'ready' }
  | { type: 'change'; changes: LiveItem[] }
  | { type: 'reset' }
  | { type: 'end'; reason: LiveEnd['reason'] }

/** `live`: changes arrive. `lost`: they do not, and we try again. `off`: nobody is logged in. */
export type LiveStatus = 'connecting' | 'live' | 'lost' | 'off'

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

function isItem(value: unknown): value is LiveItem {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id, rev } = value as Record<string, unknown>
  return typeof kind === 'string' && typeof id === 'string' && typeof rev === 'number'
}

/** Data of an SSE event to a message; what we cannot read counts as "something was missed". */
export function readMessage(event: string, data: string): LiveMessage | undefined {
  const body = parse(data)
  if (event === 'ready') return { type: 'ready' }
  if (event === 'reset') return { type: 'reset' }
  if (event === 'end') {
    const reason = (body as Partial<LiveEnd> | undefined)?.reason
    return { type: 'end', reason: reason ?? 'shutdown' }
  }
  if (event !== 'change') return undefined
  const changes = (body as Partial<LiveChange> | undefined)?.changes
  if (!Array.isArray(changes) || !changes.every(isItem)) return { type: 'reset' }
  return { type: 'change', changes }
}
