import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { controllerQuery, steerPatrol } from '@/api/controllers'
import { driveChanges, driveQuery } from '@/api/drives'
import type { Operation } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { ActionButton } from '@/ui/ActionButton'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import classes from './OperationItem.module.css'

const ACTIONS = ['pause', 'resume', 'stop'] as const
type Action = (typeof ACTIONS)[number]

/** The command that steers this kind of operation: the agent knows no "operation" commands. */
export function steeringOp(
  operation: Pick<Operation, 'kind'>,
): 'rebuild' | 'copyback' | 'drive_erase' | 'patrol_read' | 'consistency_check' | 'bgi' {
  const { kind } = operation
  return kind === 'rebuild' ||
    kind === 'copyback' ||
    kind === 'drive_erase' ||
    kind === 'patrol_read' ||
    kind === 'consistency_check'
    ? kind
    : 'bgi'
}

function stopText(kind: Operation['kind']) {
  if (kind === 'patrol_read') return 'operation.stopPatrol'
  return kind === 'consistency_check' ? 'operation.stopCheck' : 'operation.stopText'
}

/** An erase cannot be paused. */
const actionsOf = (operation: Operation) =>
  ACTIONS.filter((action) => action === 'stop' || operation.kind !== 'drive_erase')

export function OperationActions({ operation, name }: { operation: Operation; name: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [last, setLast] = useState<Action>('pause')
  const [isStopping, setStopping] = useState(false)
  const change = useChange(
    async (action: Action) => {
      // The precondition belongs to the target, which the operation does not carry.
      const op = steeringOp(operation)
      if (op === 'patrol_read') {
        const controller = await client.fetchQuery(controllerQuery(operation.target_id))
        return steerPatrol(controller, action)
      }
      if (op !== 'bgi' && op !== 'consistency_check') {
        const drive = await client.fetchQuery(driveQuery(operation.target_id))
        if (op === 'drive_erase') return driveChanges.stopErase(drive)
        return driveChanges[op](drive, action)
      }
      const virtualDrive = await client.fetchQuery(virtualDriveQuery(operation.target_id))
      return op === 'bgi'
        ? virtualDriveChanges.initialize(virtualDrive, action)
        : virtualDriveChanges.checkConsistency(virtualDrive, action)
    },
    { done: t(`operation.${last}Done`), onDone: () => setStopping(false) },
  )

  function run(action: Action) {
    setLast(action)
    change.mutate(action)
  }

  return (
    <>
      <div className={classes.actions}>
        {actionsOf(operation).map((action) => (
          <ActionButton
            key={action}
            variant="default"
            size="compact-sm"
            aria-label={`${t(`operation.${action}`)}: ${name}`}
            blockedReason={
              blockedText(operation.blocked, steeringOp(operation), action) ??
              blockedText(operation.blocked, action)
            }
            loading={change.isPending && last === action && !isStopping}
            onClick={() => (action === 'stop' ? setStopping(true) : run(action))}
          >
            {t(`operation.${action}`)}
          </ActionButton>
        ))}
      </div>
      {!isStopping && <ChangeFailure error={change.error} />}
      <ConfirmDialog
        opened={isStopping}
        title={t('operation.stopTitle', { what: name })}
        verb={t('operation.stopVerb')}
        grade={{ kind: 'plain' }}
        consequences={[t(stopText(operation.kind))]}
        pending={change.isPending}
        failure={<ChangeFailure error={change.error} />}
        onConfirm={() => run('stop')}
        onClose={() => setStopping(false)}
      />
    </>
  )
}
