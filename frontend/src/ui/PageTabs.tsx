import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './PageTabs.module.css'

export interface PageTab<Id extends string> {
  id: Id
  label: string
  /** How many things the tab holds that somebody waits for; 0 is not shown. */
  count?: number
  render: () => ReactNode
}

interface PageTabsProps<Id extends string> {
  label: string
  /** The first one is shown while none is chosen. */
  tabs: PageTab<Id>[]
  value: Id | undefined
  onChange: (id: Id) => void
}

/** The parts of an object's page, one at a time. Arrow keys, Home and End move between them. */
export function PageTabs<Id extends string>({ label, tabs, value, onChange }: PageTabsProps<Id>) {
  const shown = tabs.find(({ id }) => id === value) ?? tabs[0]
  if (shown === undefined) return null
  return (
    <Tabs
      value={shown.id}
      onChange={(id) => {
        const chosen = tabs.find((tab) => tab.id === id)
        if (chosen) onChange(chosen.id)
      }}
      keepMounted={false}
      classNames={{ list: classes.list ?? '', tab: classes.tab ?? '' }}
    >
      <Tabs.List aria-label={label}>
        {tabs.map(({ id, label: name, count = 0 }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
            {count > 0 && <span className={classes.count}>{count}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, render }) => (
        <Tabs.Panel key={id} value={id} pt="md">
          {id === shown.id && render()}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
