import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { stallOf, stepOf } from './arrival'

const start = Date.parse(make.TIME)

describe('what takes too long', () => {
  it('is nothing at first', () => {
    expect(stallOf(undefined, make.TIME, start + 5_000)).toBeUndefined()
    const enrolled = make.host({ presence: 'enrolled', online: false, connected_at: null })
    expect(stallOf(enrolled, make.TIME, start + 5_000)).toBeUndefined()
  })

  it('is a line that nobody has run', () => {
    expect(stallOf(undefined, make.TIME, start + 100_000)).toBe('nothing')
  })

  it('is a link that does not connect', () => {
    const host = make.host({ presence: 'enrolled', online: false, connected_at: null })
    expect(stallOf(host, make.TIME, start + 25_000)).toBe('notConnected')
  })

  it('is a report that does not come', () => {
    const host = make.host({ presence: 'connecting' })
    expect(stallOf(host, make.TIME, start + 35_000)).toBe('notReported')
  })

  it('is never a host that reports, or has reported', () => {
    for (const presence of ['online', 'late', 'offline'] as const) {
      expect(stallOf(make.host({ presence }), make.TIME, start + 1e9)).toBeUndefined()
      expect(stepOf(make.host({ presence }))).toBe('reporting')
    }
  })
})
