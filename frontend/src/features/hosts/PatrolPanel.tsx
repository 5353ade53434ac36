import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { steerPatrol } from '@/api/controllers'
import type { Controller, Operation, TaskAction } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { operationLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { blockedText, word } from '@/entities/states/words'
import { formatDuration, formatPercent } from '@/lib/format'
import { reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { type Fact, Facts } from '@/ui/Facts'
import { Panel } from '@/ui/Panel'
import { Timestamp } from '@/ui/Quantity'
import { Status } from '@/ui/Status'
import classes from './PatrolPanel.module.css'

type Patrol = NonNullable<Controller['patrol']>

const ACTIONS: TaskAction[] = ['start', 'pause', 'resume', 'stop']

interface PatrolPanelProps {
  controllers: Controller[]
  operations: Operation[]
}

/** Of the controllers that have one; agents of the former version know none. */
export function PatrolPanel({ controllers, operations }: PatrolPanelProps) {
  const { t } = useTranslation()
  const patrolled = controllers.filter((controller) => controller.patrol)
  if (patrolled.length === 0) return null
  return (
    <Panel title={t('patrol.title')}>
      <p className={classes.intro}>{t('patrol.intro')}</p>
      {patrolled.map((controller) => (
        <PatrolView
          key={controller.id}
          controller={controller}
          operation={operations.find(({ id }) => id === controller.patrol?.operation_id)}
          isOneOfMany={controllers.length > 1}
        />
      ))}
    </Panel>
  )
}

interface PatrolViewProps {
  controller: Controller
  operation: Operation | undefined
  isOneOfMany: boolean
}

function PatrolView({ controller, operation, isOneOfMany }: PatrolViewProps) {
  const { patrol, path } = controller
  if (!patrol) return null
  return (
    <div className={classes.controller}>
      {isOneOfMany && (
        <h3>
          <code>{path}</code>
        </h3>
      )}
      <PatrolFacts controller={controller} patrol={patrol} operation={operation} />
      <PatrolActions controller={controller} />
    </div>
  )
}

function useBegins(controller: Controller): string {
  const { t } = useTranslation()
  const hours = controller.patrol_delay_hours ?? 0
  if (controller.patrol_mode === 'manual') return t('patrol.beginsManual')
  if (controller.patrol_mode !== 'auto') return t('patrol.beginsNever')
  return hours === 0 ? t('patrol.beginsAtOnce') : t('patrol.beginsAuto', { count: hours })
}

function PatrolState({ operation }: { operation: Operation | undefined }) {
  const { t } = useTranslation()
  if (!operation) return t('patrol.idle')
  const look = operationLooks[operation.state] ?? UNKNOWN_LOOK
  const { state, progress_percent: percent, reason, time_left_s: left } = operation
  return (
    <>
      <span className={classes.state}>
        <Status tone={look.tone} icon={look.icon}>
          {word('operationState', state)}
        </Status>
        <span>{formatPercent(percent)}</span>
        {state === 'running' && left !== null && (
          <span>{t('patrol.left', { time: formatDuration(left) })}</span>
        )}
      </span>
      {reason && <p className={classes.reason}>{reasonText(reason)}</p>}
    </>
  )
}

interface PatrolFactsProps {
  controller: Controller
  patrol: Patrol
  operation: Operation | undefined
}

function PatrolFacts({ controller, patrol, operation }: PatrolFactsProps) {
  const { t } = useTranslation()
  const begins = useBegins(controller)
  const facts: Fact[] = [{ label: t('patrol.state'), value: <PatrolState operation={operation} /> }]
  if (patrol.drives_total > 0) {
    const { drives_done: done, drives_total: total } = patrol
    facts.push({ label: t('patrol.drives'), value: t('patrol.drivesValue', { done, total }) })
  }
  facts.push(
    { label: t('patrol.errors'), value: patrol.errors },
    { label: t('patrol.iterations'), value: patrol.iterations },
    {
      label: t('patrol.last'),
      value: patrol.last_at ? <Timestamp time={patrol.last_at} /> : t('patrol.never'),
    },
    { label: t('patrol.begins'), value: begins },
  )
  if (!operation) {
    facts.push({
      label: t('patrol.next'),
      value: patrol.next_at ? <Timestamp time={patrol.next_at} /> : t('patrol.nextNone'),
    })
  }
  facts.push({
    label: t('patrol.ssds'),
    value: controller.patrol_ssds ? t('patrol.ssdsYes') : t('patrol.ssdsNo'),
  })
  return <Facts facts={facts} />
}

function PatrolActions({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const [last, setLast] = useState<TaskAction>('start')
  const [isStopping, setStopping] = useState(false)
  const change = useChange((action: TaskAction) => steerPatrol(controller, action), {
    done: t(`patrol.${last}.done`),
    onDone: () => setStopping(false),
  })
  const { path } = controller

  function run(action: TaskAction) {
    setLast(action)
    change.mutate(action)
  }

  return (
    <>
      <div className={classes.actions}>
        {ACTIONS.map((action) => (
          <ActionButton
            key={action}
            variant="default"
            size="compact-sm"
            aria-label={t(`patrol.${action}.label`, { path })}
            blockedReason={blockedText(controller.blocked, 'patrol_read', action)}
            loading={change.isPending && last === action && !isStopping}
            onClick={() => {
              change.reset()
              if (action === 'stop') setStopping(true)
              else run(action)
            }}
          >
            {t(`patrol.${action}.verb`)}
          </ActionButton>
        ))}
      </div>
      {!isStopping && <ChangeFailure error={change.error} />}
      <ConfirmDialog
        opened={isStopping}
        title={t('patrol.stop.label', { path })}
        verb={t('operation.stopVerb')}
        grade={{ kind: 'plain' }}
        consequences={[t('operation.stopPatrol')]}
        pending={change.isPending}
        failure={<ChangeFailure error={change.error} />}
        onConfirm={() => run('stop')}
        onClose={() => setStopping(false)}
      />
    </>
  )
}
