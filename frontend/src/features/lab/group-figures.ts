import type { Load, PredictedArray } from '@/api/types'
import { formatCount, formatRate, locale } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { isByBytes } from './loads'

type Point = PredictedArray['points'][number]
export type GroupEnding = NonNullable<PredictedArray['group']>

/** A group with what it did beside the others, and by itself. */
export interface GroupRow {
  array: PredictedArray
  group: GroupEnding
  point: Point
  pattern: Load['pattern']
  /** Its load is judged by bytes, not by the number of requests. */
  byBytes: boolean
}

/** `patterns`: of the groups' loads, in their order. */
export function groupRows(
  arrays: PredictedArray[],
  patterns: readonly Load['pattern'][],
): GroupRow[] {
  return arrays.flatMap((array, index) => {
    const { group, points } = array
    const [point] = points
    const pattern = patterns[index] ?? 'random'
    if (!group || !point) return []
    return [{ array, group, point, pattern, byBytes: isByBytes({ pattern, blocks: point.mix }) }]
  })
}

export const rateOf = (point: Point, byBytes: boolean) =>
  byBytes ? point.bytes_per_s : point.operations_per_s

export const rateText = (rate: number, byBytes: boolean) =>
  byBytes ? formatRate(rate) : i18n.t('measure.perSecond', { rate: formatCount(Math.round(rate)) })

const THREE_DIGITS = { maximumSignificantDigits: 3 }
const MICROSECONDS = { maximumFractionDigits: 3 }

/** In milliseconds: "0.012 ms", "3.46 ms", "120 ms". */
const milliseconds = (us: number) =>
  `${(us / 1000).toLocaleString(locale(), us < 1000 ? MICROSECONDS : THREE_DIGITS)} ms`

/** For how long something went on: "476 ms", "9.68 s". */
export const spanText = (us: number) =>
  us < 1e6 ? milliseconds(us) : `${(us / 1e6).toLocaleString(locale(), THREE_DIGITS)} s`

/** Of what there was, reads before writes. */
export function latencyTexts(point: Point, figure: 'mean_us' | 'p99_us'): string[] {
  const { read_latency: read, write_latency: write } = point
  const reads = milliseconds(read[figure])
  const writes = milliseconds(write[figure])
  if (read.count > 0 && write.count > 0) {
    return [
      i18n.t('lab.groups.ofReads', { time: reads }),
      i18n.t('lab.groups.ofWrites', { time: writes }),
    ]
  }
  return [read.count > 0 ? reads : write.count > 0 ? writes : '–']
}

/** Fewer say little. */
const REQUESTS_MIN = 200
export const hasFewRequests = ({ point }: GroupRow) => point.operations < REQUESTS_MIN

/** How much it has beside the others of what it has alone; undefined if that was nothing. */
export function keptPercent({ group, point, byBytes }: GroupRow): number | undefined {
  const alone = group.alone ? rateOf(group.alone.point, byBytes) : 0
  return alone > 0 ? (rateOf(point, byBytes) / alone) * 100 : undefined
}
