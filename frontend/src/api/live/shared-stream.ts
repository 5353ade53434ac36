import type { LiveMessage, LiveStatus } from './protocol'
import { openStream, type StreamHandlers } from './stream'

/**
 * One stream per browser: browsers allow few connections to one server, and each open tab would hold
 * one. The tab that gets the lock owns the stream and tells the others; when it closes, the lock
 * passes to the next tab. Without locks (a page outside a secure context) every tab has its own.
 */
const LOCK = 'arraywright-live'
const CHANNEL = 'arraywright-live'

type Relay =
  | { type: 'message'; message: LiveMessage }
  | { type: 'status'; status: LiveStatus }
  | { type: 'ask' }

export function openSharedStream(url: string, handlers: StreamHandlers): () => void {
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') {
    return openStream(url, handlers)
  }
  const channel = new BroadcastChannel(CHANNEL)
  const stop = new AbortController()
  let status: LiveStatus = 'connecting'
  let isOwner = false
  let hasJoined = false

  const note = (next: LiveStatus) => {
    status = next
    handlers.onStatus(next)
  }
  /** What the stream told between the first answers of this page and its joining was not heard. */
  const follow = (next: LiveStatus) => {
    note(next)
    if (next !== 'live' || hasJoined) return
    hasJoined = true
    handlers.onMessage({ type: 'reset' })
  }
  const tell = (relay: Relay) => {
    if (!stop.signal.aborted) channel.postMessage(relay)
  }
  const own: StreamHandlers = {
    onMessage(message) {
      handlers.onMessage(message)
      tell({ type: 'message', message })
    },
    onStatus(next) {
      note(next)
      tell({ type: 'status', status })
    },
  }

  channel.onmessage = (event: MessageEvent<Relay>) => {
    const relay = event.data
    if (relay.type === 'ask') {
      if (isOwner) tell({ type: 'status', status })
    } else if (!isOwner) {
      if (relay.type === 'message') handlers.onMessage(relay.message)
      else follow(relay.status)
    }
  }

  function hold(lock: Lock | null): Promise<void> {
    if (lock === null) return Promise.resolve()
    const takesOver = status === 'live' || status === 'lost'
    isOwner = true
    const close = openStream(url, own, takesOver)
    return new Promise((release) => {
      stop.signal.addEventListener('abort', () => {
        close()
        release()
      })
    })
  }

  note('connecting')
  navigator.locks.request(LOCK, { signal: stop.signal }, hold).catch(() => {
    // Aborted while waiting: this tab closed or logged out.
  })
  tell({ type: 'ask' })

  return () => {
    stop.abort()
    channel.close()
  }
}
