import { i18n } from './i18n'

/**
 * Numbers for people. Decimal units, as drive labels and controllers use them; the exact number of
 * bytes is always one hover away (see `Bytes`). Strip sizes are powers of two and keep KiB and MiB.
 */
const DECIMAL_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Of numbers and dates, after the language of the page. */
export const locale = () => (i18n.language === 'de' ? 'de-DE' : 'en-GB')

export const decimalMark = () => (i18n.language === 'de' ? ',' : '.')

export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < DECIMAL_UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  const shown = value.toLocaleString(locale(), { maximumFractionDigits: digits })
  return `${shown} ${DECIMAL_UNITS[unit]}`
}

export function formatExactBytes(bytes: number): string {
  return i18n.t('common.exactBytes', { bytes: bytes.toLocaleString(locale()) })
}

export function formatStrip(bytes: number): string {
  return bytes >= 1 << 20 && bytes % (1 << 20) === 0
    ? `${bytes / (1 << 20)} MiB`
    : `${bytes / 1024} KiB`
}

export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`
}

/** Of requests: "0.4/s", "12/s", "1,250/s". */
export function formatPerSecond(rate: number): string {
  const digits = rate > 0 && rate < 9.95 ? 1 : 0
  return `${rate.toLocaleString(locale(), { maximumFractionDigits: digits })}/s`
}

export function formatPercent(percent: number): string {
  const digits = percent > 0 && percent < 100 ? 1 : 0
  // Never round up to "100 %" while work is left.
  const shown = percent < 100 ? Math.min(percent, 99.9) : 100
  return `${shown.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits })} %`
}

export function formatCount(count: number): string {
  return count.toLocaleString(locale())
}

const DURATION_STEPS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const

/** The two largest units: "2 d 3 h", "4 min 10 s". */
export function formatDuration(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const step of DURATION_STEPS) {
    const count = Math.floor(rest / step.seconds)
    rest -= count * step.seconds
    if (count > 0) parts.push(`${count} ${step.unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length > 0 ? parts.join(' ') : '0 s'
}

export function formatDateTime(time: string | number | Date): string {
  return new Date(time).toLocaleString(locale(), {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
}

/** What a datetime-local field wants: the reader's own time, to the minute. */
export function toLocalField(time: string | null): string {
  if (time === null) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A time of day, with the day only if it is not today. */
export function formatClock(time: Date, now: Date): string {
  const sameDay = time.toDateString() === now.toDateString()
  return time.toLocaleString(
    locale(),
    sameDay
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  )
}

const RELATIVE_STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

export function formatRelative(time: string | number | Date, now: number): string {
  const seconds = Math.round((new Date(time).getTime() - now) / 1000)
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' })
  for (const [unit, size] of RELATIVE_STEPS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit)
  }
  return Math.abs(seconds) < 5 ? i18n.t('common.justNow') : format.format(seconds, 'second')
}
