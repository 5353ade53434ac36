import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { alertsQuery } from '@/api/activity'
import type { Alert } from '@/api/types'
import { Panel } from '@/ui/Panel'
import { AlertItem } from './AlertItem'
import classes from './AlertItem.module.css'

const AT_ONCE = 3
const SEVERITIES = ['fatal', 'critical', 'warning', 'info']

/** The worst first; of those that are as bad, the one that has been open longest. */
function inOrder(alerts: Alert[]): Alert[] {
  const rank = (alert: Alert) => SEVERITIES.indexOf(alert.severity)
  return alerts.toSorted((a, b) => rank(a) - rank(b) || a.opened_at.localeCompare(b.opened_at))
}

interface TroubleProps {
  /** Of a whole host, or of one object. */
  filter: { host_id: string } | { object_id: string }
}

/** What is wrong, above everything else; nothing is shown when all is well. */
export function Trouble({ filter }: TroubleProps) {
  const { t } = useTranslation()
  const [isLong, setLong] = useState(false)
  const alerts = useQuery(alertsQuery({ ...filter, state: ['open', 'acknowledged'] }))
  if (!alerts.data?.items.length) return null
  const all = inOrder(alerts.data.items)
  const rest = all.length - AT_ONCE
  return (
    <Panel title={t('host.alerts')} flush>
      <ul className={classes.list}>
        {(isLong ? all : all.slice(0, AT_ONCE)).map((alert) => (
          <AlertItem key={alert.id} alert={alert} />
        ))}
      </ul>
      {rest > 0 && !isLong && (
        <Button variant="subtle" m="xs" onClick={() => setLong(true)}>
          {t('host.moreAlerts', { count: rest })}
        </Button>
      )}
    </Panel>
  )
}
