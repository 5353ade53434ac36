import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Alert } from '@/api/types'
import { ObjectLink } from '@/entities/objects/ObjectLink'
import { severityTones } from '@/entities/states/tones'
import { blockedText, word } from '@/entities/states/words'
import { alertTitle, reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import { Timestamp } from '@/ui/Quantity'
import { Status } from '@/ui/Status'
import { AcknowledgeDialog } from './AcknowledgeDialog'
import classes from './AlertItem.module.css'

/** What is wrong, since when, why, what follows, and what to do next. */
export function AlertItem({ alert }: { alert: Alert }) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  return (
    <li className={classes.item} data-tone={severityTones[alert.severity] ?? 'idle'}>
      <div className={classes.head}>
        <h3 className={classes.title}>{alertTitle(alert)}</h3>
        <Status tone={severityTones[alert.severity] ?? 'idle'}>
          {word('severity', alert.severity)}
        </Status>
        {alert.state === 'open' && (
          <ActionButton
            variant="default"
            size="compact-sm"
            aria-label={`${t('alert.acknowledge')}: ${alertTitle(alert)}`}
            blockedReason={blockedText(alert.blocked, 'acknowledge')}
            onClick={() => setAsking(true)}
          >
            {t('alert.acknowledge')}
          </ActionButton>
        )}
      </div>
      <p className={classes.reason}>{reasonText(alert.reason)}</p>
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
      {alert.stale && <p className={classes.stale}>{t('alert.stale')}</p>}
      <dl className={classes.facts}>
        {alert.cause && (
          <>
            <dt>{t('alert.cause')}</dt>
            <dd>{reasonText(alert.cause)}</dd>
          </>
        )}
        {alert.consequence && (
          <>
            <dt>{t('alert.consequence')}</dt>
            <dd>{reasonText(alert.consequence)}</dd>
          </>
        )}
        {alert.next_step && (
          <>
            <dt>{t('alert.nextStep')}</dt>
            <dd className={classes.next}>{reasonText(alert.next_step)}</dd>
          </>
        )}
        {alert.acknowledged_by && (
          <>
            <dt>{t('alert.acknowledgedBy', { name: alert.acknowledged_by })}</dt>
            <dd>{alert.note || '–'}</dd>
          </>
        )}
      </dl>
      {isAsking && <AcknowledgeDialog alert={alert} onClose={() => setAsking(false)} />}
    </li>
  )
}
