import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batteryChanges } from '@/api/batteries'
import type { Battery } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText, word } from '@/entities/states/words'
import { formatDateTime, formatDuration } from '@/lib/format'
import { ActionList } from '@/ui/ActionList'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { Facts } from '@/ui/Facts'
import { Panel } from '@/ui/Panel'
import { Timestamp } from '@/ui/Quantity'
import classes from './BatteryPage.module.css'
import { LearnDialog } from './LearnDialog'

type Learn = NonNullable<Battery['learn']>

export function LearnPanel({ battery }: { battery: Battery }) {
  const { t } = useTranslation()
  const { learn } = battery
  return (
    <Panel title={t('battery.learn')}>
      {learn === null ? (
        <p>{t('battery.learnNone')}</p>
      ) : (
        <>
          <p className={classes.intro}>
            {t('battery.learnIntro')}{' '}
            {learn.transparent ? t('battery.learnTransparent') : t('battery.learnSuspends')}
          </p>
          <LearnFacts learn={learn} />
          <LearnActions battery={battery} learn={learn} />
        </>
      )}
    </Panel>
  )
}

function LearnFacts({ learn }: { learn: Learn }) {
  const { t } = useTranslation()
  const last = () => {
    if (learn.last_at === null) return t('battery.learnNever')
    const time = formatDateTime(learn.last_at)
    if (learn.last_result === null) return time
    return t('battery.learnLastValue', { result: word('learnResult', learn.last_result), time })
  }
  return (
    <Facts
      facts={[
        { label: t('battery.learnState'), value: word('learnState', learn.state) },
        { label: t('battery.learnMode'), value: word('learnMode', learn.mode) },
        {
          label: t('battery.learnNext'),
          value: learn.next_at ? <Timestamp time={learn.next_at} /> : t('battery.learnNextNone'),
        },
        ...(learn.delay_s
          ? [{ label: t('battery.learnDelay'), value: formatDuration(learn.delay_s) }]
          : []),
        { label: t('battery.learnLast'), value: last() },
        ...(learn.period_days === null
          ? []
          : [
              {
                label: t('battery.learnPeriod'),
                value: t('battery.learnPeriodValue', { count: learn.period_days }),
              },
            ]),
      ]}
    />
  )
}

function LearnActions({ battery, learn }: { battery: Battery; learn: Learn }) {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<'start' | 'edit' | null>(null)
  const { path } = battery
  const start = useChange(() => batteryChanges.learn(battery), {
    done: t('battery.learnStart.done'),
    onDone: () => setDialog(null),
  })
  return (
    <div className={classes.actions}>
      <ActionList
        items={[
          {
            id: 'start',
            label: t('battery.learnStart.label'),
            explanation: t('battery.learnStart.help'),
            blockedReason: blockedText(battery.blocked, 'battery_learn'),
            onClick: () => {
              start.reset()
              setDialog('start')
            },
          },
          {
            id: 'edit',
            label: t('battery.learnEdit.label'),
            explanation: t('battery.learnEdit.help'),
            blockedReason: blockedText(battery.blocked, 'battery_set'),
            onClick: () => setDialog('edit'),
          },
        ]}
      />
      {dialog === 'start' && (
        <ConfirmDialog
          opened
          title={t('battery.learnStart.title', { path })}
          verb={t('battery.learnStart.verb')}
          grade={{ kind: 'plain' }}
          consequences={[
            learn.transparent ? t('battery.learnStart.transparent') : t('battery.learnStart.text'),
          ]}
          pending={start.isPending}
          failure={<ChangeFailure error={start.error} />}
          onConfirm={() => start.mutate(undefined)}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'edit' && (
        <LearnDialog battery={battery} learn={learn} onClose={() => setDialog(null)} />
      )}
    </div>
  )
}
