import { type ReactNode, useId } from 'react'
import classes from './Panel.module.css'

interface PanelProps {
  title: string
  children: ReactNode
  aside?: ReactNode
  /** Without padding, for tables that run to the edge. */
  flush?: boolean
  headingLevel?: 2 | 3
}

export function Panel({ title, children, aside, flush = false, headingLevel = 2 }: PanelProps) {
  const id = useId()
  const Heading = `h${headingLevel}` as const
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <div className={classes.head}>
        <Heading id={id} className={classes.heading}>
          {title}
        </Heading>
        {aside && <div className={classes.aside}>{aside}</div>}
      </div>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </section>
  )
}

/** Panels side by side where there is room, one below the other on a phone. */
export function PanelGrid({ children }: { children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>
}

export function PanelStack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>
}
