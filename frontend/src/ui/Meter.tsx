import classes from './Meter.module.css'
import type { Tone } from './Status'

interface MeterProps {
  label: string
  /** What stands beside it and is spoken. */
  text: string
  value: number
  max: number
  tone?: Tone
}

/** How full something is; the figures stand beside the bar. */
export function Meter({ label, text, value, max, tone = 'info' }: MeterProps) {
  const percent = max > 0 ? Math.min(100, (value / max) * 100) : 0
  return (
    <div className={classes.meter}>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={text}
        className={classes.track}
        data-tone={tone}
      >
        <div className={classes.bar} style={{ width: `${percent}%` }} />
      </div>
      <span>{text}</span>
    </div>
  )
}
