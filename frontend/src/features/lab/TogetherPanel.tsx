import { useTranslation } from 'react-i18next'
import { Meter } from '@/ui/Meter'
import { Panel } from '@/ui/Panel'
import { type GroupRow, keptPercent, rateOf, rateText } from './group-figures'
import classes from './Lab.module.css'

/** What each group has beside the others, and what it would have alone. */
export function TogetherPanel({ rows }: { rows: GroupRow[] }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('lab.groups.togetherTitle')}>
      <p className={classes.muted}>{t('lab.groups.togetherHint')}</p>
      <ol className={classes.measured}>
        {rows.map((row) => (
          <Bars key={row.group.name} row={row} />
        ))}
      </ol>
    </Panel>
  )
}

function Bars({ row }: { row: GroupRow }) {
  const { t } = useTranslation()
  const { group, point, byBytes } = row
  if (!group.alone) return null
  const together = rateOf(point, byBytes)
  const alone = rateOf(group.alone.point, byBytes)
  const kept = keptPercent(row)
  const max = Math.max(together, alone)
  return (
    <li aria-label={group.name}>
      <strong className={classes.loadName}>{group.name}</strong>
      <span>{t('lab.groups.together')}</span>
      <Meter
        label={t('lab.groups.together')}
        text={rateText(together, byBytes)}
        value={together}
        max={max}
        tone="ok"
      />
      <span>{t('lab.groups.alone')}</span>
      <Meter
        label={t('lab.groups.alone')}
        text={rateText(alone, byBytes)}
        value={alone}
        max={max}
      />
      {kept !== undefined && (
        <span className={classes.loadName}>
          {t(kept < 99.5 ? 'lab.groups.keeps' : 'lab.groups.losesNothing', {
            percent: kept.toFixed(0),
          })}
        </span>
      )}
    </li>
  )
}
