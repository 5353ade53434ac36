import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { alertsQuery } from '@/api/activity'
import { Loaded } from '@/ui/Loaded'
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
