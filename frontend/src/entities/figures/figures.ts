import { formatBytes, formatPercent, formatRate, locale } from '@/lib/format'
import { niceTop } from '@/ui/Plot'

const HOUR_S = 3600

/** How far back a plot reaches; the words stand in the address. */
export const RANGES = { hours: 6, weeks: 14 * 24, years: 3 * 365 * 24 } as const
export type Range = keyof typeof RANGES
export const RANGE_WORDS = Object.keys(RANGES) as Range[]

/** Hours, as batteries are spoken of; minutes where an hour says too little. */
function formatHours(seconds: number): string {
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / HOUR_S)} h`
}

const FORMATS: Record<string, (value: number) => string> = {
  percent: formatPercent,
  celsius: (value) => `${Math.round(value)} °C`,
  millivolts: (value) => `${(value / 1000).toFixed(2)} V`,
  milliampere_hours: (value) => `${Math.round(value)} mAh`,
  seconds: formatHours,
  bytes: formatBytes,
  bytes_per_second: formatRate,
}

export function formatFigure(unit: string, value: number): string {
  return (FORMATS[unit] ?? String)(value)
}

/** On an axis there is no room for decimals of percent. */
export function formatAxis(unit: string, value: number): string {
  return unit === 'percent' ? `${Math.round(value)} %` : formatFigure(unit, value)
}

/** Where an axis ends at the least, so that its middle is a figure of its own and noise stays small. */
const TOP_AT_LEAST: Record<string, number> = {
  celsius: 60,
  bytes: 1e6,
  bytes_per_second: 1e6,
}

/** Where the axis ends: whole hours for times, all of it for shares. */
export function axisTop(unit: string, highest: number): number {
  if (unit === 'percent') return 100
  if (unit === 'seconds') return niceTop(highest / HOUR_S) * HOUR_S
  return Math.max(TOP_AT_LEAST[unit] ?? 0, niceTop(highest))
}

/** Microseconds as people read them: "85 µs", "1.2 ms", "3.4 s". */
export function formatMicroseconds(us: number): string {
  const scaled = (value: number, unit: string) =>
    `${value.toLocaleString(locale(), { maximumFractionDigits: value < 9.95 ? 1 : 0 })} ${unit}`
  if (us < 1000) return scaled(us, 'µs')
  return us < 999_500 ? scaled(us / 1000, 'ms') : scaled(us / 1e6, 's')
}
