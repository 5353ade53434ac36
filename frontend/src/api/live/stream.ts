import { type LiveMessage, type LiveStatus, readMessage } from './protocol'

/**
 * One EventSource. It reconnects by itself while the server answers with a stream; when the server
 * refuses (an expired session, a proxy's error page) the browser gives up, and we try again with a
 * growing, jittered delay.
 */
const EVENTS = ['ready', 'change', 'reset', 'end'] as const
const RETRY_BASE_MS = 1_000
const RETRY_CAP_MS = 30_000

export interface StreamHandlers {
  onMessage: (message: LiveMessage) => void
  onStatus: (status: LiveStatus) => void
}

/** A stream that begins where the first answers of the page were read. */
export const streamAfter = (url: string, position: string) =>
  `${url}?after=${encodeURIComponent(position)}`

export function retryDelay(attempt: number, random: number): number {
  const delay = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** attempt)
  return delay / 2 + (delay / 2) * random
}

/** `isLate`: for a while before nobody listened, as after an interruption. */
export function openStream(url: string, handlers: StreamHandlers, isLate = false): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0
  let wasLive = isLate

  function receive(message: LiveMessage) {
    if (message.type === 'ready') {
      attempt = 0
      handlers.onStatus('live')
      // What changed while we were away may be unknown to a new stream: fetch once more.
      if (wasLive) handlers.onMessage({ type: 'reset' })
      wasLive = true
    }
    handlers.onMessage(message)
    if (message.type === 'end') {
      source?.close()
      retry()
    }
  }

  function retry() {
    handlers.onStatus('lost')
    clearTimeout(timer)
    timer = setTimeout(connect, retryDelay(attempt, Math.random()))
    attempt += 1
  }

  function connect() {
    source = new EventSource(url, { withCredentials: true })
    for (const name of EVENTS) {
      source.addEventListener(name, (event) => {
        const message = readMessage(name, (event as MessageEvent<string>).data)
        if (message) receive(message)
      })
    }
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) retry()
      else handlers.onStatus('lost')
    })
  }

  handlers.onStatus('connecting')
  connect()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}
