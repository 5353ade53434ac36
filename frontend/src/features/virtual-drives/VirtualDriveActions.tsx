import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TaskAction, VirtualDrive } from '@/api/types'
import { virtualDriveChanges } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { ActionList } from '@/ui/ActionList'
import { DeleteDialog } from './DeleteDialog'
import { ExpandDialog } from './ExpandDialog'
import { InitializeDialog } from './InitializeDialog'

type Dialog = 'vd_expand' | 'vd_init' | 'vd_delete'

const TASKS: TaskAction[] = ['start', 'pause', 'resume', 'stop']

export function VirtualDriveActions({ virtualDrive }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const [last, setLast] = useState<TaskAction>('start')
  const change = useChange(
    (action: TaskAction) => virtualDriveChanges.initialize(virtualDrive, action),
    { done: t(`vd.bgiDone.${last}`) },
  )
  const check = useChange(() => virtualDriveChanges.checkConsistency(virtualDrive, 'start'), {
    done: t('vd.checkDone'),
  })
  const flush = useChange(() => virtualDriveChanges.flushCache(virtualDrive), {
    done: t('vd.flushDone'),
  })
  const trust = useChange(() => virtualDriveChanges.clearDoubt(virtualDrive), {
    done: t('vd.doubtDone'),
  })
  const dialogItem = (id: Dialog) => ({
    id,
    label: t(`vd.${id}.label`),
    explanation: t(`vd.${id}.help`),
    blockedReason: blockedText(virtualDrive.blocked, id),
    danger: id === 'vd_delete' || id === 'vd_init',
    onClick: () => setDialog(id),
  })
  const { expansion } = virtualDrive
  return (
    <>
      <ActionList
        items={[
          ...(expansion ? [dialogItem('vd_expand')] : []),
          ...TASKS.map((action) => ({
            id: action,
            label: t(`vd.bgi_${action}.label`),
            explanation: t(`vd.bgi_${action}.help`),
            blockedReason: blockedText(virtualDrive.blocked, 'bgi', action),
            loading: change.isPending && last === action,
            onClick: () => {
              setLast(action)
              change.mutate(action)
            },
          })),
          {
            id: 'consistency_check',
            label: t('vd.check.label'),
            explanation: t('vd.check.help'),
            blockedReason: blockedText(virtualDrive.blocked, 'consistency_check', 'start'),
            loading: check.isPending,
            onClick: () => check.mutate(),
          },
          ...(virtualDrive.cache
            ? [
                {
                  id: 'cache_flush',
                  label: t('vd.flush.label'),
                  explanation: t('vd.flush.help'),
                  blockedReason: blockedText(virtualDrive.blocked, 'cache_flush'),
                  loading: flush.isPending || virtualDrive.cache_flush === 'running',
                  onClick: () => flush.mutate(),
                },
              ]
            : []),
          ...(virtualDrive.blocked.doubt_clear?.code === 'doubt_none'
            ? []
            : [
                {
                  id: 'doubt_clear',
                  label: t('vd.doubt.label'),
                  explanation: t('vd.doubt.help'),
                  blockedReason: blockedText(virtualDrive.blocked, 'doubt_clear'),
                  loading: trust.isPending,
                  onClick: () => trust.mutate(),
                },
              ]),
          dialogItem('vd_init'),
          dialogItem('vd_delete'),
        ]}
      />
      <ChangeFailure error={change.error ?? check.error ?? flush.error ?? trust.error} />
      {dialog === 'vd_expand' && expansion && (
        <ExpandDialog
          virtualDrive={virtualDrive}
          expansion={expansion}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'vd_init' && (
        <InitializeDialog virtualDrive={virtualDrive} onClose={() => setDialog(null)} />
      )}
      {dialog === 'vd_delete' && (
        <DeleteDialog virtualDrive={virtualDrive} onClose={() => setDialog(null)} />
      )}
    </>
  )
}
