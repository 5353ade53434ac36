import type { ReactNode } from 'react'
import classes from './Facts.module.css'

export interface Fact {
  label: string
  value: ReactNode
}

/** Names and values; an absent value is left out by the caller or shown as a dash. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map((fact) => (
        <div key={fact.label} className={classes.row}>
          <dt>{fact.label}</dt>
          <dd>{fact.value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}
