import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeEventSource } from '@/test/fake-event-source'
import { openSharedStream } from './shared-stream'

/** Locks and channels of one browser, both at once and in order, so that nothing has to be waited for. */
class FakeChannel {
  static open = new Set<FakeChannel>()
  onmessage: ((event: { data: unknown }) => void) | null = null

  constructor(readonly name: string) {
    FakeChannel.open.add(this)
  }

  postMessage(data: unknown) {
    for (const other of FakeChannel.open) if (other !== this) other.onmessage?.({ data })
  }

  close() {
    FakeChannel.open.delete(this)
  }
}

type Holder = (lock: Lock | null) => Promise<void>

function fakeLocks() {
  const waiting: Holder[] = []
  let isHeld = false
  async function next() {
    const holder = waiting.shift()
    if (!holder || isHeld) return
    isHeld = true
    await holder({} as Lock)
    isHeld = false
    await next()
  }
  return {
    request(_name: string, options: { signal: AbortSignal }, holder: Holder) {
      waiting.push(holder)
      options.signal.addEventListener('abort', () => {
        const index = waiting.indexOf(holder)
        if (index >= 0) waiting.splice(index, 1)
      })
      if (!isHeld) void next()
      return Promise.resolve()
    },
  }
}

function tab() {
  const heard: string[] = []
  const close = openSharedStream('/live', {
    onMessage: (message) => heard.push(message.type),
    onStatus: (status) => heard.push(status),
  })
  return { heard, close }
}

describe('openSharedStream', () => {
  beforeEach(() => {
    vi.stubGlobal('EventSource', FakeEventSource)
    vi.stubGlobal('BroadcastChannel', FakeChannel)
    vi.stubGlobal('navigator', { locks: fakeLocks() })
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    FakeEventSource.reset()
    FakeChannel.open.clear()
  })

  it('opens one stream for two tabs and tells both', () => {
    const first = tab()
    const second = tab()
    expect(FakeEventSource.opened).toHaveLength(1)
    FakeEventSource.last.say('ready', {})
    FakeEventSource.last.say('change', { changes: [] })
    expect(first.heard).toContain('change')
    expect(second.heard.slice(-4)).toEqual(['live', 'reset', 'ready', 'change'])
  })

  it('tells a tab that comes later that it is live, and to fetch what it has not heard', () => {
    const first = tab()
    FakeEventSource.last.say('ready', {})
    expect(tab().heard).toEqual(['connecting', 'live', 'reset'])
    expect(first.heard).not.toContain('reset')
  })

  it('passes the stream on when its tab closes, and fetches what was missed', async () => {
    const first = tab()
    const second = tab()
    FakeEventSource.last.say('ready', {})
    first.close()
    await vi.waitFor(() => expect(FakeEventSource.opened).toHaveLength(2))
    expect(FakeEventSource.opened[0]?.readyState).toBe(FakeEventSource.CLOSED)
    // Not before the new stream listens: what changes in between would be missed.
    const before = second.heard.length
    FakeEventSource.last.say('ready', {})
    expect(second.heard.slice(before)).toEqual(['live', 'reset', 'ready'])
    FakeEventSource.last.say('change', { changes: [] })
    expect(second.heard.at(-1)).toBe('change')
    expect(first.heard.filter((each) => each === 'change')).toHaveLength(0)
  })
})
