import classes from './Plot.module.css'

export interface PlotPoint {
  x: number
  low: number
  value: number
  high: number
}

interface PlotProps {
  /** What ears get instead of the picture. */
  label: string
  points: PlotPoint[]
  /** The x axis, also where there are no points. */
  from: number
  to: number
  /** A wider distance between two points is a gap: nothing was known there. */
  gap: number
  /** The y axis begins at nought and ends here. */
  top: number
  formatX: (x: number) => string
  formatY: (y: number) => string
}

const WIDTH = 1000
const HEIGHT = 100

/** Stretches without gaps. */
export function stretches(points: PlotPoint[], gap: number): PlotPoint[][] {
  const found: PlotPoint[][] = []
  let last: PlotPoint | undefined
  for (const point of points) {
    if (last === undefined || point.x - last.x > gap) found.push([])
    found.at(-1)?.push(point)
    last = point
  }
  return found
}

/** A round number above, so that the axis reads well: 1, 2, 2.5 or 5 times a power of ten. */
export function niceTop(highest: number): number {
  if (!(highest > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= highest)
  return (step ?? 10) * power
}

/**
 * A line over a band of extremes. Only the shapes are drawn: they may be stretched to any width,
 * while the letters of the axes are ordinary text beside them.
 */
export function Plot(props: PlotProps) {
  const { points, from, to, gap, top, formatX, formatY } = props
  const x = (at: number) => ((at - from) / Math.max(1, to - from)) * WIDTH
  const y = (value: number) => HEIGHT - (Math.min(value, top) / top) * HEIGHT
  const line = (part: PlotPoint[], of: (point: PlotPoint) => number) =>
    part.map((point) => `${x(point.x).toFixed(1)},${y(of(point)).toFixed(2)}`)
  return (
    <div className={classes.plot}>
      <div className={classes.scale} aria-hidden>
        <span>{formatY(top)}</span>
        <span>{formatY(top / 2)}</span>
        <span>{formatY(0)}</span>
      </div>
      <svg
        role="img"
        aria-label={props.label}
        className={classes.area}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path className={classes.grid} d={`M0,${HEIGHT / 2}H${WIDTH}`} />
        {stretches(points, gap).map((part) => {
          const value = line(part, (point) => point.value)
          const band = [
            ...line(part, (point) => point.high),
            ...line(part, (point) => point.low).reverse(),
          ]
          // A single sample is a short dash: a line needs two ends to be seen.
          const d = value.length === 1 ? `M${value[0]}h2` : `M${value.join('L')}`
          return (
            <g key={part[0]?.x}>
              <path className={classes.band} d={`M${band.join('L')}Z`} />
              <path className={classes.line} d={d} />
            </g>
          )
        })}
      </svg>
      <div className={classes.times} aria-hidden>
        <span>{formatX(from)}</span>
        <span>{formatX(to)}</span>
      </div>
    </div>
  )
}
