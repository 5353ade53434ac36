import { useSyncExternalStore } from 'react'

/**
 * One clock for all relative times of a page: a single timer, however many times are shown.
 * The offset corrects for a browser whose clock differs from the server's.
 */
const TICK_MS = 5_000
let serverOffsetMs = 0
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function tick() {
  now = Date.now() + serverOffsetMs
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now() + serverOffsetMs
    timer = setInterval(tick, TICK_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** The `Date` header has whole seconds, so smaller differences mean nothing. */
export function noteServerDate(header: string | null) {
  const serverMs = header === null ? Number.NaN : Date.parse(header)
  if (Number.isNaN(serverMs)) return
  const offset = serverMs - Date.now()
  serverOffsetMs = Math.abs(offset) > 2_000 ? offset : 0
}

export function serverNow(): number {
  return Date.now() + serverOffsetMs
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
