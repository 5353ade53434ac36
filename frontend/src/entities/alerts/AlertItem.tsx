import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Alert } from '@/api/types'
import { severityTones } from '@/entities/states/tones'
import { blockedText, word } from '@/entities/states/words'
import { alertTitle, reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import { Status } from '@/ui/Status'
import { AcknowledgeDialog } from './AcknowledgeDialog'
import classes from './AlertItem.module.css'
import { AlertMeta } from './AlertMeta'

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
      <AlertMeta alert={alert} />
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
