import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Alert } from '@/api/types'
import { ObjectLink } from '@/entities/objects/ObjectLink'
import { Timestamp } from '@/ui/Quantity'
import classes from './AlertMeta.module.css'

/** Where an alert is, since when, and when it ended. */
export function AlertMeta({ alert }: { alert: Alert }) {
  const { t } = useTranslation()
  return (
    <p className={classes.meta}>
      <Link to="/hosts/$hostId" params={{ hostId: alert.host_id }}>
        {alert.host_name}
      </Link>
      {alert.object_kind !== 'host' && (
        <ObjectLink
          kind={alert.object_kind}
          id={alert.object_id}
          text={t('alert.openObject', { object: alert.object_path })}
        />
      )}
      <span>
        {t('alert.opened')} <Timestamp time={alert.opened_at} />
      </span>
      {alert.resolved_at && (
        <span>
          {t('alert.resolved')} <Timestamp time={alert.resolved_at} />
        </span>
      )}
    </p>
  )
}
