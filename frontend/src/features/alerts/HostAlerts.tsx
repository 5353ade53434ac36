import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { alertsQuery } from '@/api/activity'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { AlertItem } from './AlertItem'
import classes from './AlertItem.module.css'

export function HostAlerts({ hostId }: { hostId: string }) {
  const { t } = useTranslation()
  const alerts = useQuery(alertsQuery({ host_id: hostId, state: ['open', 'acknowledged'] }))
  return (
    <Loaded query={alerts} rows={1}>
      {(page) =>
        page.items.length === 0 ? (
          <p>{t('host.noAlerts')}</p>
        ) : (
          <ul className={classes.list}>
            {page.items.map((alert) => (
              <AlertItem key={alert.id} alert={alert} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

/** What is wrong with one object; nothing is shown when all is well. */
export function ObjectAlerts({ objectId }: { objectId: string }) {
  const { t } = useTranslation()
  const alerts = useQuery(alertsQuery({ object_id: objectId, state: ['open', 'acknowledged'] }))
  if (!alerts.data?.items.length) return null
  return (
    <Panel title={t('host.alerts')}>
      <ul className={classes.list}>
        {alerts.data.items.map((alert) => (
          <AlertItem key={alert.id} alert={alert} />
        ))}
      </ul>
    </Panel>
  )
}
