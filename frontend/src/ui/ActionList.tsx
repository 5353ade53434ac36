import { type ReactNode, useId } from 'react'
import { ActionButton } from './ActionButton'
import classes from './ActionList.module.css'

export interface ActionItem {
  id: string
  label: string
  /** One line: what it does. Shown when possible; otherwise the reason stands in its place. */
  explanation: string
  blockedReason?: string | undefined
  danger?: boolean
  icon?: ReactNode
  loading?: boolean
  onClick: () => void
}

/** Actions with their explanation, or with the reason why they are not possible now. */
export function ActionList({ items }: { items: ActionItem[] }) {
  return (
    <ul className={classes.list}>
      {items.map((item) => (
        <Item key={item.id} item={item} />
      ))}
    </ul>
  )
}

function Item({ item }: { item: ActionItem }) {
  const textId = useId()
  return (
    <li className={classes.item}>
      <ActionButton
        variant={item.danger ? 'light' : 'default'}
        {...(item.danger ? { color: 'red' } : {})}
        size="compact-sm"
        justify="flex-start"
        leftSection={item.icon}
        loading={item.loading ?? false}
        blockedReason={item.blockedReason}
        reasonId={textId}
        onClick={item.onClick}
      >
        {item.label}
      </ActionButton>
      <span id={textId} className={classes.text} data-blocked={item.blockedReason !== undefined}>
        {item.blockedReason ?? item.explanation}
      </span>
    </li>
  )
}
