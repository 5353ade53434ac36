import { formatBytes, formatDuration, formatPercent, formatRate } from '@/lib/format'

/** How far back a plot reaches; the words stand in the address. */
export const RANGES = { hours: 6, weeks: 14 * 24, years: 3 * 365 * 24 } as const
export type Range = keyof typeof RANGES
export const RANGE_WORDS = Object.keys(RANGES) as Range[]

const FORMATS: Record<string, (value: number) => string> = {
  percent: formatPercent,
  celsius: (value) => `${Math.round(value)} °C`,
  millivolts: (value) => `${(value / 1000).toFixed(2)} V`,
  milliampere_hours: (value) => `${Math.round(value)} mAh`,
  seconds: formatDuration,
  bytes: formatBytes,
  bytes_per_second: formatRate,
}

export function formatFigure(unit: string, value: number): string {
  return (FORMATS[unit] ?? String)(value)
}

/** Microseconds as people read them: "85 µs", "1.2 ms", "3.4 s". */
export function formatMicroseconds(us: number): string {
  const scaled = (value: number, unit: string) =>
    `${value.toLocaleString('en-GB', { maximumFractionDigits: value < 9.95 ? 1 : 0 })} ${unit}`
  if (us < 1000) return scaled(us, 'µs')
  return us < 999_500 ? scaled(us / 1000, 'ms') : scaled(us / 1e6, 's')
}
