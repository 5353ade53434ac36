import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeEventSource } from '@/test/fake-event-source'
import type { LiveMessage, LiveStatus } from './protocol'
import { openStream, retryDelay } from './stream'

function start() {
  const messages: LiveMessage['type'][] = []
  const statuses: LiveStatus[] = []
  const close = openStream('/live', {
    onMessage: (message) => messages.push(message.type),
    onStatus: (status) => statuses.push(status),
  })
  return { messages, statuses, close }
}

describe('retryDelay', () => {
  it('grows to a cap and is spread', () => {
    expect(retryDelay(0, 0)).toBe(500)
    expect(retryDelay(0, 1)).toBe(1000)
    expect(retryDelay(3, 1)).toBe(8000)
    expect(retryDelay(50, 0)).toBe(15_000)
  })
})

describe('openStream', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal('EventSource', FakeEventSource)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    FakeEventSource.reset()
  })

  it('is live after ready and passes changes on', () => {
    const { messages, statuses } = start()
    FakeEventSource.last.say('ready', {})
    FakeEventSource.last.say('change', { changes: [] })
    expect(statuses).toEqual(['connecting', 'live'])
    expect(messages).toEqual(['ready', 'change'])
  })

  it('asks for everything again after an interruption', () => {
    const { messages, statuses } = start()
    FakeEventSource.last.say('ready', {})
    FakeEventSource.last.fail(FakeEventSource.CONNECTING)
    FakeEventSource.last.say('ready', {})
    expect(statuses).toEqual(['connecting', 'live', 'lost', 'live'])
    expect(messages).toEqual(['ready', 'reset', 'ready'])
  })

  it('opens another stream when the browser gives up', () => {
    const { statuses } = start()
    FakeEventSource.last.fail(FakeEventSource.CLOSED)
    expect(statuses).toEqual(['connecting', 'lost'])
    expect(FakeEventSource.opened).toHaveLength(1)
    vi.advanceTimersByTime(1000)
    expect(FakeEventSource.opened).toHaveLength(2)
  })

  it('comes back after the server has ended it', () => {
    const { messages } = start()
    FakeEventSource.last.say('end', { reason: 'shutdown' })
    expect(messages).toEqual(['end'])
    expect(FakeEventSource.opened[0]?.readyState).toBe(FakeEventSource.CLOSED)
    vi.advanceTimersByTime(1000)
    expect(FakeEventSource.opened).toHaveLength(2)
  })

  it('stops for good when closed', () => {
    const { close } = start()
    FakeEventSource.last.fail(FakeEventSource.CLOSED)
    close()
    vi.advanceTimersByTime(60_000)
    expect(FakeEventSource.opened).toHaveLength(1)
  })
})
