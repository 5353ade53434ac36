import { readText } from './search'

/** A span of whole days, as the address names it: "2026-11-29", in the reader's own time. */
export interface Days {
  from?: string | undefined
  to?: string | undefined
}

const startOf = (day: string) => new Date(`${day}T00:00`)

export function readDay(value: unknown): string | undefined {
  const text = readText(value, 10)
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  return Number.isNaN(startOf(text).getTime()) ? undefined : text
}

function endOf(day: string): Date {
  const end = startOf(day)
  end.setDate(end.getDate() + 1)
  return end
}

/** As the server wants it. */
export function spanOf({ from, to }: Days): { since?: string; until?: string } {
  return {
    ...(from !== undefined && { since: startOf(from).toISOString() }),
    ...(to !== undefined && { until: endOf(to).toISOString() }),
  }
}
