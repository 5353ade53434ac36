import type { ReactNode } from 'react'
import classes from './Figures.module.css'

/** What a page answers first: a few numbers in large type, each with a line that explains it. */
export function Figures({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section aria-label={label} className={classes.strip}>
      {children}
    </section>
  )
}

interface FigureProps {
  label: string
  value: ReactNode
  tone?: 'plain' | 'warn' | 'crit'
  children?: ReactNode
}

export function Figure({ label, value, tone = 'plain', children }: FigureProps) {
  return (
    <div className={classes.figure}>
      <h2 className={classes.label}>{label}</h2>
      <p className={classes.value} data-tone={tone}>
        {value}
      </p>
      <div className={classes.detail}>{children}</div>
    </div>
  )
}
