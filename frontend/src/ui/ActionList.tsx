import { Button } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
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

const possible = (items: ActionItem[]) =>
  items.filter((item) => item.blockedReason === undefined).map((item) => item.id)

/**
 * What is possible, and the rest with its reasons on demand. What has once been possible stays where
 * it is: nobody loses the button under the pointer when the host goes on.
 */
function useShown(items: ActionItem[]) {
  const [seen, setSeen] = useState(() => new Set(possible(items)))
  const [isWhole, setWhole] = useState(false)
  const fresh = possible(items).filter((id) => !seen.has(id))
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh]))
  const isAll = isWhole || seen.size === 0
  const shown = isAll ? items : items.filter(({ id }) => seen.has(id))
  return { shown, hidden: items.length - shown.length, showAll: () => setWhole(true) }
}

/** Actions with their explanation, or with the reason why they are not possible now. */
export function ActionList({ items }: { items: ActionItem[] }) {
  const { t } = useTranslation()
  const { shown, hidden, showAll } = useShown(items)
  return (
    <>
      <ul className={classes.list}>
        {shown.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
      {hidden > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          h="auto"
          mt="xs"
          classNames={{ label: classes.label ?? '' }}
          onClick={showAll}
        >
          {t('common.notPossible', { count: hidden })}
        </Button>
      )}
    </>
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
        h="auto"
        mih={26}
        classNames={{ label: classes.label ?? '' }}
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
