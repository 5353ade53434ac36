import { useTranslation } from 'react-i18next'
import type { Operation } from '@/api/types'
import { word } from '@/entities/states/words'
import { formatDuration, formatPercent } from '@/lib/format'
import { Figure } from '@/ui/Figures'

/** Running before waiting, and of those what has furthest to go. */
function inOrder(a: Operation, b: Operation): number {
  const waits = (each: Operation) => Number(each.state !== 'running')
  return waits(a) - waits(b) || a.progress_percent - b.progress_percent
}

/** Background work at a glance: one of it, and how much more there is. */
export function UnderWay({ operations }: { operations: Operation[] }) {
  const { t } = useTranslation()
  const active = operations.filter((each) => each.ended_at === null)
  const first = active.toSorted(inOrder)[0]
  if (first === undefined)
    return <Figure label={t('operation.active')} value={t('operation.nothing')} />
  const left = first.state === 'running' ? first.time_left_s : null
  return (
    <Figure label={t('operation.active')} value={formatPercent(first.progress_percent)}>
      <span>{word('operationKind', first.kind)}</span>
      <span>
        {left === null
          ? word('operationState', first.state)
          : t('operation.left', { time: formatDuration(left) })}
      </span>
      {active.length > 1 && <span>{t('operation.more', { count: active.length - 1 })}</span>}
    </Figure>
  )
}
