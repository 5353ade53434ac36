import { type Days, readDay } from '@/lib/days'
import { readText, readWord } from '@/lib/search'

/** The lowest severity shown. */
export const EVENT_SEVERITIES = ['info', 'warning', 'critical'] as const

export interface EventsSearch extends Days {
  severity?: (typeof EVENT_SEVERITIES)[number]
  q?: string
  host?: string
}

export function readEventsSearch(search: Record<string, unknown>): EventsSearch {
  const host = readText(search.host, 36)
  return {
    severity: readWord(search.severity, EVENT_SEVERITIES),
    q: readText(search.q, 100),
    from: readDay(search.from),
    to: readDay(search.to),
    host: host && /^[0-9a-f-]{36}$/.test(host) ? host : undefined,
  }
}
