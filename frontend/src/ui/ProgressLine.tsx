import { formatPercent } from '@/lib/format'
import classes from './ProgressLine.module.css'

interface ProgressLineProps {
  label: string
  percent: number
  tone?: 'running' | 'held' | 'failed' | 'done'
}

export function ProgressLine({ label, percent, tone = 'running' }: ProgressLineProps) {
  return (
    <div className={classes.line}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(percent)}
        aria-valuetext={formatPercent(percent)}
        className={classes.track}
        data-tone={tone}
      >
        <div className={classes.bar} style={{ width: `${percent}%` }} />
      </div>
      <span className={classes.percent} aria-hidden>
        {formatPercent(percent)}
      </span>
    </div>
  )
}
