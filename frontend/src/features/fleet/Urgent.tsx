import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Alert, PageOf } from '@/api/types'
import { AlertMeta } from '@/entities/alerts/AlertMeta'
import { severityTones } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { alertTitle, reasonText } from '@/lib/told'
import { Panel } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import classes from './Urgent.module.css'

/** The worst of what is open, with what to do; nothing is shown when all is well. */
export function Urgent({ alerts }: { alerts: UseQueryResult<PageOf<Alert>> }) {
  const { t } = useTranslation()
  const { items, total } = alerts.data ?? { items: [], total: 0 }
  if (items.length === 0) return null
  return (
    <Panel
      title={t('fleet.urgent')}
      flush
      aside={<Link to="/alerts">{t('fleet.allAlerts', { count: total ?? items.length })}</Link>}
    >
      <ul className={classes.list}>
        {items.map((alert) => (
          <Item key={alert.id} alert={alert} />
        ))}
      </ul>
    </Panel>
  )
}

function Item({ alert }: { alert: Alert }) {
  const tone = severityTones[alert.severity] ?? 'idle'
  return (
    <li className={classes.item} data-tone={tone}>
      <div className={classes.head}>
        <h3 className={classes.title}>{alertTitle(alert)}</h3>
        <Status tone={tone}>{word('severity', alert.severity)}</Status>
      </div>
      <p>
        {reasonText(alert.reason)} {alert.next_step && <b>{reasonText(alert.next_step)}</b>}
      </p>
      <AlertMeta alert={alert} />
    </li>
  )
}
