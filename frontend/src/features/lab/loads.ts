import type { Load, MeasuredLoad, PredictedArray } from '@/api/types'

const KIB = 1024

const load = (
  pattern: Load['pattern'],
  bytes: number,
  depth: number,
  writePercent: number,
): Load => ({
  pattern,
  blocks: [{ bytes, percent: 100 }],
  write_percent: writePercent,
  workers: 1,
  depth,
  zone_bytes: 0,
  start_bytes: 0,
  file_bytes: 0,
})

/** What is offered to be measured; the database is that of the reviews (W14). */
export const LOADS = {
  sequentialRead: load('sequential', 1024 * KIB, 8, 0),
  sequentialWrite: load('sequential', 1024 * KIB, 8, 100),
  randomRead: load('random', 4 * KIB, 1, 0),
  randomReads: load('random', 4 * KIB, 16, 0),
  randomWrites: load('random', 4 * KIB, 16, 100),
  database: load('random', 8 * KIB, 16, 33),
} as const
export type LoadName = keyof typeof LOADS
export const LOAD_NAMES = Object.keys(LOADS) as LoadName[]
export const SECONDS = ['5', '10', '30', '60'] as const

/** Of files the pattern decides it, as the server does. */
export const overwrites = (loads: readonly Load[]) =>
  loads.some(({ pattern, write_percent }) =>
    pattern === 'random' || pattern === 'sequential'
      ? (write_percent ?? 0) > 0
      : pattern !== 'files_read',
  )

/** What was measured, as it is asked for. */
export const askedOf = (measured: MeasuredLoad): Load => ({
  pattern: measured.pattern as Load['pattern'],
  blocks: measured.blocks,
  write_percent: measured.write_percent,
  workers: measured.workers,
  depth: measured.depth,
  zone_bytes: measured.zone_bytes,
  start_bytes: measured.start_bytes,
  file_bytes: measured.file_bytes,
})

/** Large requests are judged by their bytes, small ones by their number. */
export const isByBytes = (measured: Pick<MeasuredLoad, 'pattern' | 'blocks'>) =>
  measured.pattern !== 'random' || measured.blocks.every(({ bytes }) => bytes >= 128 * KIB)

/** Many writes into a cache that had room for them: it is not the drives that are seen. Of files the
 * pattern decides what is written. */
export const isMemory = (
  pattern: string,
  { cache_filled, write_percent }: PredictedArray['points'][number],
) =>
  cache_filled === false &&
  (write_percent >= 50 || (pattern.startsWith('files_') && pattern !== 'files_read'))
