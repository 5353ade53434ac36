import type { Prediction, WorkloadModel } from '@/api/types'
import { formatCount, locale } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import type { LinePlotData } from '@/ui/LinePlot'
import { niceTop } from '@/ui/Plot'
import { arrayLabel, axesOf, isThroughput, stepLabels, valueAt } from './figures'

export interface LabPlot extends LinePlotData {
  words: { load: string; unit: string; axis: string }
}

const megabytes = (value: number) =>
  (value / 1e6).toLocaleString(locale(), { maximumFractionDigits: value < 1e7 ? 1 : 0 })

/** The curves of one slice; undefined if the workload is a single point of single arrays. */
export function plotOf(
  prediction: Prediction,
  workload: WorkloadModel,
  sliceAt: number,
): LabPlot | undefined {
  const arrays = prediction.arrays.filter((array) => array.refused === null)
  const { x = 'write_percents', slice } = axesOf(workload)
  const steps = stepLabels(workload, x)
  const series = arrays.map((array) => ({
    name: arrayLabel(array, arrays),
    values: steps.map((_, index) =>
      valueAt(array, workload, { [x]: index, ...(slice && { [slice]: sliceAt }) }),
    ),
  }))
  const highest = Math.max(0, ...series.flatMap(({ values }) => values.map((each) => each ?? 0)))
  if (highest === 0) return undefined
  const unit = isThroughput(workload) ? 'bytes' : 'operations'
  return {
    steps,
    series,
    xTitle: i18n.t(`lab.axes.${x}`),
    top: niceTop(highest),
    formatY: unit === 'bytes' ? megabytes : (value) => formatCount(Math.round(value)),
    words: {
      load: workload.title,
      unit: i18n.t(`lab.units.${unit}`),
      axis: i18n.t(`lab.axes.${x}`),
    },
  }
}
