import type { PredictedArray, WorkloadModel } from '@/api/types'
import { word } from '@/entities/states/words'
import { formatStrip } from '@/lib/format'
import { i18n } from '@/lib/i18n'

/** A step of a workload that is drawn from left to right, or chosen. */
export type Axis = 'write_percents' | 'mixes' | 'depths' | 'workers'
const AXES: readonly Axis[] = ['write_percents', 'mixes', 'depths', 'workers']

type Point = PredictedArray['points'][number]
type Mix = WorkloadModel['mixes'][number]

export const FIELDS = {
  write_percents: 'write_percent',
  depths: 'depth',
  workers: 'workers',
} as const

export interface Axes {
  /** From left to right; undefined if the workload is a single point. */
  x: Axis | undefined
  /** What else has several steps: one of them is shown at a time. */
  slice: Axis | undefined
}

/** Operations over write shares as the reviews drew them, MB/s over block sizes, else queues. */
export function axesOf(workload: WorkloadModel): Axes {
  const several = AXES.filter((axis) => workload[axis].length > 1)
  return { x: several[0], slice: several[1] }
}

export function isThroughput(workload: WorkloadModel): boolean {
  return workload.mixes.length > 1 || workload.pattern !== 'random'
}

/** With a mark if the reviews do not say all of it. */
export function workloadLabel({ id, title, assumed }: WorkloadModel): string {
  return i18n.t(assumed.length > 0 ? 'lab.loadOptionAssumed' : 'lab.loadOption', { id, title })
}

/** One size, or how many there are. */
export function sizeText(mix: Mix): string {
  const [block] = mix
  return mix.length === 1 && block
    ? block.bytes % 1024 === 0
      ? formatStrip(block.bytes)
      : `${block.bytes} B`
    : i18n.t('lab.mixOf', { count: mix.length })
}

/** Each step of an axis as people read it. */
export function stepLabels(workload: WorkloadModel, axis: Axis): string[] {
  if (axis === 'mixes') return workload.mixes.map(sizeText)
  return workload[axis].map((step) => (axis === 'write_percents' ? `${step} %` : String(step)))
}

function isAt(point: Point, workload: WorkloadModel, axis: Axis, index: number): boolean {
  if (axis === 'mixes') return JSON.stringify(point.mix) === JSON.stringify(workload.mixes[index])
  return point[FIELDS[axis]] === workload[axis][index]
}

/** The value at one place; undefined where nothing was simulated. */
export function valueAt(
  array: PredictedArray,
  workload: WorkloadModel,
  places: Partial<Record<Axis, number>>,
): number | undefined {
  const found = array.points.find((point) =>
    AXES.every((axis) => places[axis] === undefined || isAt(point, workload, axis, places[axis])),
  )
  if (found === undefined) return undefined
  return isThroughput(workload) ? found.bytes_per_s : found.operations_per_s
}

/** What tells an array from the others: only what differs between them. */
export function arrayLabel(array: PredictedArray, arrays: PredictedArray[]): string {
  const differs = (of: (each: PredictedArray) => unknown) => new Set(arrays.map(of)).size > 1
  const level = word('raidLevel', array.level)
  const parts = [
    array.level === 'raid0' && array.drives === 1
      ? i18n.t('lab.single')
      : differs((each) => each.drives)
        ? `${level} ×${array.drives}`
        : level,
  ]
  if (differs((each) => each.write_policy)) parts.push(word('policyWord', array.write_policy))
  if (differs((each) => each.failed.length)) {
    parts.push(i18n.t('lab.failed', { count: array.failed.length }))
  }
  return parts.join(', ')
}

export interface Ratio {
  label: string
  /** By slice (rows), then by x. */
  values: (number | undefined)[][]
}

/** For each pair of arrays that differ in one thing only: the one divided by the other. */
export function ratios(
  arrays: PredictedArray[],
  workload: WorkloadModel,
  isUpper: (array: PredictedArray) => boolean,
  isSame: (one: PredictedArray, other: PredictedArray) => boolean,
  isLower: (array: PredictedArray) => boolean,
): Ratio[] {
  const { x, slice } = axesOf(workload)
  return arrays.filter(isUpper).flatMap((upper) => {
    const lower = arrays.find((each) => isLower(each) && isSame(each, upper))
    if (!lower || upper.refused !== null || lower.refused !== null) return []
    const rows = slice ? workload[slice].length : 1
    const columns = x ? workload[x].length : 1
    const ratioAt = (row: number, column: number) => {
      const places = { ...(x && { [x]: column }), ...(slice && { [slice]: row }) }
      const above = valueAt(upper, workload, places)
      const below = valueAt(lower, workload, places)
      return above === undefined || !below ? undefined : above / below
    }
    return [
      {
        label: arrayLabel(upper, arrays.filter(isUpper)),
        values: Array.from({ length: rows }, (_, row) =>
          Array.from({ length: columns }, (_, column) => ratioAt(row, column)),
        ),
      },
    ]
  })
}

/** How far from one: the colors of the table. */
export function ratioTone(ratio: number): 'much-less' | 'less' | 'same' | 'more' | 'much-more' {
  if (ratio < 0.75) return 'much-less'
  if (ratio < 0.97) return 'less'
  if (ratio <= 1.03) return 'same'
  return ratio <= 2 ? 'more' : 'much-more'
}
