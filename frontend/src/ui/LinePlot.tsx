import { useId } from 'react'
import classes from './LinePlot.module.css'

export interface LineSeries {
  name: string
  /** One for each step of the x axis; undefined: nothing is known there. */
  values: (number | undefined)[]
}

export interface LinePlotData {
  /** The steps from left to right, at equal distances. */
  steps: string[]
  xTitle: string
  series: LineSeries[]
  top: number
  formatY: (value: number) => string
}

const WIDTH = 1000
const HEIGHT = 100
/** As many as can be told apart: six colors, whole and dashed. */
export const LINES_MAX = 12
export const COLORS = 6

export const xOf = (index: number, count: number) => (count < 2 ? 0.5 : index / (count - 1))

/** Stretches of known values: indexes of each. */
export function runsOf(values: (number | undefined)[]): number[][] {
  const runs: number[][] = []
  values.forEach((value, index) => {
    if (value === undefined) return
    if (index === 0 || values[index - 1] === undefined) runs.push([])
    runs.at(-1)?.push(index)
  })
  return runs
}

/**
 * Several lines over the same steps. Like `Plot`, only shapes are drawn and stretched; letters are
 * ordinary text. A line is told by color, dashes and its place in the legend; the figures are in
 * the table that the caller puts beside it.
 */
export function LinePlot({ data, label }: { data: LinePlotData; label: string }) {
  const { steps, series, top, formatY } = data
  const labelId = useId()
  return (
    <figure className={classes.figure} aria-labelledby={labelId}>
      <figcaption id={labelId} className={classes.hidden}>
        {label}
      </figcaption>
      <div className={classes.plot}>
        <div className={classes.scale} aria-hidden>
          {[1, 0.75, 0.5, 0.25, 0].map((share) => (
            <span key={share}>{formatY(top * share)}</span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={label}
          className={classes.area}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <path
            className={classes.grid}
            d={`M0,0H${WIDTH}M0,25H${WIDTH}M0,50H${WIDTH}M0,75H${WIDTH}`}
          />
          {series.slice(0, LINES_MAX).map((each, index) => (
            <Line key={each.name} series={each} index={index} top={top} steps={steps.length} />
          ))}
        </svg>
        <ol className={classes.steps} aria-hidden>
          {steps.map((step, index) => (
            <li
              key={step}
              style={{ left: `${xOf(index, steps.length) * 100}%` }}
              // On a phone every second one has room.
              data-second={index % 2 === 1}
            >
              {step}
            </li>
          ))}
        </ol>
        <p className={classes.xTitle} aria-hidden>
          {data.xTitle}
        </p>
      </div>
      <ul className={classes.legend}>
        {series.slice(0, LINES_MAX).map((each, index) => (
          <li key={each.name}>
            <svg className={classes.key} viewBox="0 0 24 8" aria-hidden>
              <path
                className={classes.line}
                data-color={index % COLORS}
                data-dashed={index >= COLORS}
                d="M0,4H24"
              />
            </svg>
            {each.name}
          </li>
        ))}
      </ul>
    </figure>
  )
}

interface LineProps {
  series: LineSeries
  index: number
  top: number
  steps: number
}

function Line({ series, index, top, steps }: LineProps) {
  const at = (step: number) => {
    const y = HEIGHT - (Math.min(series.values[step] ?? 0, top) / top) * HEIGHT
    return `${(xOf(step, steps) * WIDTH).toFixed(1)},${y.toFixed(2)}`
  }
  const style = { 'data-color': index % COLORS, 'data-dashed': index >= COLORS }
  return (
    <g>
      {runsOf(series.values).map((run) => (
        <g key={run[0]}>
          <path className={classes.line} {...style} d={`M${run.map(at).join('L')}`} />
          {/* A line of no length with round ends is a dot, however the picture is stretched. */}
          <path
            className={classes.dots}
            {...style}
            d={run.map((step) => `M${at(step)}h0`).join('')}
          />
        </g>
      ))}
    </g>
  )
}
