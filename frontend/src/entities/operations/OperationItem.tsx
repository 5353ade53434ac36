import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Operation } from '@/api/types'
import { operationLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { useNow } from '@/lib/clock'
import { formatBytes, formatClock, formatDuration, formatRate } from '@/lib/format'
import { reasonText } from '@/lib/told'
import { ProgressLine } from '@/ui/ProgressLine'
import { Timestamp } from '@/ui/Quantity'
import { Status } from '@/ui/Status'
import { OperationActions } from './OperationActions'
import classes from './OperationItem.module.css'

const BAR_TONES = {
  running: 'running',
  paused: 'held',
  waiting: 'held',
  completed: 'done',
  failed: 'failed',
  stopped: 'held',
} as const

function TargetLink({ operation, name }: { operation: Operation; name: string }) {
  if (operation.target_kind === 'drive') {
    return (
      <Link to="/drives/$driveId" params={{ driveId: operation.target_id }}>
        {name}
      </Link>
    )
  }
  if (operation.target_kind === 'virtual_drive') {
    return (
      <Link to="/virtual-drives/$virtualDriveId" params={{ virtualDriveId: operation.target_id }}>
        {name}
      </Link>
    )
  }
  return <>{name}</>
}

interface OperationItemProps {
  operation: Operation
  withHost: boolean
}

/** One operation, honestly: what is done, how fast, and how long still, or that it is not known. */
export function OperationItem({ operation, withHost }: OperationItemProps) {
  const { t } = useTranslation()
  const look = operationLooks[operation.state] ?? UNKNOWN_LOOK
  const target = operation.target_name ?? operation.target_path
  const kind = word('operationKind', operation.kind)
  const isActive = operation.ended_at === null
  return (
    <li className={classes.item}>
      <div className={classes.head}>
        <h3 className={classes.title}>
          {kind} <TargetLink operation={operation} name={target ?? t('operation.gone')} />
          {operation.source_path && ` ${t('operation.from', { source: operation.source_path })}`}
        </h3>
        <Status tone={look.tone} icon={look.icon}>
          {word('operationState', operation.state)}
        </Status>
      </div>
      {withHost && (
        <p className={classes.host}>
          <Link to="/hosts/$hostId" params={{ hostId: operation.host_id }}>
            {operation.host_name}
          </Link>
        </p>
      )}
      <ProgressLine
        label={t('operation.sentence', { kind, target: target ?? t('operation.gone') })}
        percent={operation.progress_percent}
        tone={BAR_TONES[operation.state] ?? 'running'}
      />
      <Figures operation={operation} />
      {operation.reason && <p className={classes.reason}>{reasonText(operation.reason)}</p>}
      {isActive && <OperationActions operation={operation} name={`${kind} ${target ?? ''}`} />}
    </li>
  )
}

function Figures({ operation }: { operation: Operation }) {
  const { t } = useTranslation()
  const now = useNow()
  const { done_bytes: done, total_bytes: total, time_left_s: left } = operation
  return (
    <p className={classes.figures}>
      <span>{t('operation.done', { done: formatBytes(done), total: formatBytes(total) })}</span>
      {operation.state === 'running' && (
        <>
          {operation.speed_bytes_per_s > 0 && (
            <span>{formatRate(operation.speed_bytes_per_s)}</span>
          )}
          <span>
            {left === null
              ? t('operation.timeUnknown')
              : t('operation.timeLeft', {
                  time: formatDuration(left),
                  clock: formatClock(new Date(now + left * 1000), new Date(now)),
                })}
          </span>
        </>
      )}
      <span>
        {t('operation.started')} <Timestamp time={operation.started_at} />
      </span>
      {operation.ended_at && (
        <span>
          {t('operation.endedAt')} <Timestamp time={operation.ended_at} />
        </span>
      )}
    </p>
  )
}
