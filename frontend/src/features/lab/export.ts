import type { PredictedArray, Prediction } from '@/api/types'
import { download } from '@/lib/csv'
import { COLORS, LINES_MAX, runsOf, xOf } from '@/ui/LinePlot'
import type { LabPlot } from './plot'

const COLUMNS = [
  'controller',
  'drive',
  'level',
  'drives',
  'write_policy',
  'read_policy',
  'io_policy',
  'strip_bytes',
  'failed',
  'workload',
  'mix',
  'write_percent',
  'workers',
  'depth',
  'operations_per_s',
  'bytes_per_s',
  'read_p99_us',
  'write_p99_us',
  'rating',
  'rating_formula',
] as const

/** Of all the queue depths of a load; each of their points says it. */
function ratingOf(array: PredictedArray, point: PredictedArray['points'][number]) {
  const mix = JSON.stringify(point.mix)
  return array.ratings.find(
    (each) =>
      each.workload === point.workload &&
      each.write_percent === point.write_percent &&
      each.workers === point.workers &&
      JSON.stringify(each.mix) === mix,
  )
}

/** Every point with what it belongs to, exact; numbers as programs read them. */
export function csvOf(prediction: Prediction): string {
  const lines = prediction.arrays.flatMap((array) =>
    array.points.map((point) => [
      prediction.controller,
      prediction.drive,
      array.level,
      array.drives,
      array.write_policy,
      array.read_policy,
      array.io_policy,
      array.strip_bytes,
      array.failed.join(' '),
      point.workload,
      point.mix.map(({ bytes, percent }) => `${bytes}:${percent}`).join(' '),
      point.write_percent,
      point.workers,
      point.depth,
      point.operations_per_s,
      point.bytes_per_s,
      point.read_latency.p99_us,
      point.write_latency.p99_us,
      ratingOf(array, point)?.value ?? '',
      ratingOf(array, point)?.formula ?? '',
    ]),
  )
  return [COLUMNS, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

export function downloadCsv(prediction: Prediction) {
  download(new Blob([csvOf(prediction)], { type: 'text/csv' }), 'arraywright-lab.csv')
}

const WIDTH = 1200
const HEIGHT = 675
const FRAME = { left: 110, top: 70, right: 40, bottom: 80 }
const LEGEND_LINE = 26

/** The curves in the colors that the page has now. */
export function downloadPicture(plot: LabPlot, title: string) {
  const canvas = document.createElement('canvas')
  const series = plot.series.slice(0, LINES_MAX)
  const legend = Math.ceil(series.length / 3) * LEGEND_LINE
  canvas.width = WIDTH
  canvas.height = HEIGHT + legend
  const context = canvas.getContext('2d')
  if (!context) return
  draw(context, { ...plot, series }, title)
  canvas.toBlob((content) => {
    if (content) download(content, 'arraywright-lab.png')
  })
}

function draw(context: CanvasRenderingContext2D, plot: LabPlot, title: string) {
  const theme = getComputedStyle(document.documentElement)
  const color = (name: string) => theme.getPropertyValue(name).trim()
  const x = (index: number) =>
    FRAME.left + xOf(index, plot.steps.length) * (WIDTH - FRAME.left - FRAME.right)
  const y = (value: number) =>
    HEIGHT - FRAME.bottom - (value / plot.top) * (HEIGHT - FRAME.top - FRAME.bottom)
  const text = (words: string, at: [number, number], align: CanvasTextAlign = 'left') => {
    context.textAlign = align
    context.fillText(words, ...at)
  }
  context.fillStyle = color('--aw-surface')
  context.fillRect(0, 0, WIDTH, context.canvas.height)
  context.fillStyle = color('--mantine-color-text')
  context.font = `600 24px ${theme.fontFamily}`
  text(title, [FRAME.left, 40])
  context.font = `16px ${theme.fontFamily}`
  context.fillStyle = color('--aw-muted')
  context.strokeStyle = color('--aw-line')
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const height = y(plot.top * share)
    text(plot.formatY(plot.top * share), [FRAME.left - 12, height + 5], 'right')
    context.beginPath()
    context.moveTo(FRAME.left, height)
    context.lineTo(WIDTH - FRAME.right, height)
    context.stroke()
  }
  plot.steps.forEach((step, index) => {
    text(step, [x(index), HEIGHT - FRAME.bottom + 26], 'center')
  })
  text(plot.xTitle, [WIDTH / 2, HEIGHT - FRAME.bottom + 54], 'center')
  plot.series.forEach((each, index) => {
    context.strokeStyle = context.fillStyle = color(`--aw-line-${index % COLORS}`)
    context.lineWidth = 3
    context.setLineDash(index >= COLORS ? [9, 6] : [])
    for (const run of runsOf(each.values)) {
      context.beginPath()
      for (const step of run) context.lineTo(x(step), y(each.values[step] ?? 0))
      context.stroke()
    }
    const column = FRAME.left + (index % 3) * 360
    const line = HEIGHT + Math.floor(index / 3) * LEGEND_LINE
    context.beginPath()
    context.moveTo(column, line)
    context.lineTo(column + 30, line)
    context.stroke()
    context.fillStyle = color('--mantine-color-text')
    text(each.name, [column + 40, line + 5])
  })
}
