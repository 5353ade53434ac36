import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { driveChanges } from '@/api/drives'
import type { Drive, DriveGroup } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { ActionList } from '@/ui/ActionList'
import { DriveDialog, type DriveDialogKind } from './DriveDialog'

interface DriveActionsProps {
  drive: Drive
  groups: DriveGroup[]
}

type Direct =
  | 'locate_on'
  | 'locate_off'
  | 'drive_jbod'
  | 'spin_down'
  | 'spin_up'
  | 'rebuild_start'
  | 'rebuild_pause'
  | 'rebuild_resume'

const DIALOGS: { kind: DriveDialogKind; op: string; action?: string; danger?: boolean }[] = [
  { kind: 'spare_add', op: 'spare_add' },
  { kind: 'spare_remove', op: 'spare_remove' },
  { kind: 'drive_replace', op: 'drive_replace' },
  { kind: 'copyback_start', op: 'copyback', action: 'start' },
  { kind: 'rebuild_stop', op: 'rebuild', action: 'stop' },
  { kind: 'drive_good', op: 'drive_good' },
  { kind: 'drive_offline', op: 'drive_offline', danger: true },
  { kind: 'drive_online', op: 'drive_online', danger: true },
  { kind: 'drive_missing', op: 'drive_missing', danger: true },
  { kind: 'erase_stop', op: 'drive_erase', action: 'stop' },
  { kind: 'erase_start', op: 'drive_erase', action: 'start', danger: true },
]

const REBUILDS = ['start', 'pause', 'resume'] as const

/** All that can be done with a drive. What is not possible now stays, and says why. */
export function DriveActions({ drive, groups }: DriveActionsProps) {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<DriveDialogKind | null>(null)
  const [running, setRunning] = useState<Direct | null>(null)
  const change = useChange(
    (direct: Direct) => {
      if (direct === 'locate_on' || direct === 'locate_off') {
        return driveChanges.locate(drive, direct === 'locate_on')
      }
      if (direct === 'spin_down' || direct === 'spin_up') {
        return driveChanges.spin(drive, direct === 'spin_down')
      }
      if (direct === 'drive_jbod') return driveChanges.leaveToHost(drive)
      return driveChanges.rebuild(
        drive,
        direct === 'rebuild_start' ? 'start' : direct === 'rebuild_pause' ? 'pause' : 'resume',
      )
    },
    { done: t(`driveAction.done.${running ?? 'locate_on'}`, { path: drive.path }) },
  )

  function run(direct: Direct) {
    setRunning(direct)
    change.mutate(direct)
  }

  const spin = drive.spun_down ? 'spin_up' : 'spin_down'
  const locate = drive.locating ? 'locate_off' : 'locate_on'
  const item = (id: Direct | DriveDialogKind, op: string, action?: string) => ({
    id,
    label: t(`driveAction.${id}.label`),
    explanation: t(`driveAction.${id}.help`),
    blockedReason: blockedText(drive.blocked, op, action),
  })

  return (
    <>
      <ActionList
        items={[
          {
            ...item(locate, 'drive_locate'),
            loading: change.isPending && running === locate,
            onClick: () => run(locate),
          },
          ...REBUILDS.map((action) => ({
            ...item(`rebuild_${action}`, 'rebuild', action),
            loading: change.isPending && running === `rebuild_${action}`,
            onClick: () => run(`rebuild_${action}`),
          })),
          {
            ...item(spin, spin === 'spin_up' ? 'drive_spinup' : 'drive_spindown'),
            loading: change.isPending && running === spin,
            onClick: () => run(spin),
          },
          {
            ...item('drive_jbod', 'drive_jbod'),
            loading: change.isPending && running === 'drive_jbod',
            onClick: () => run('drive_jbod'),
          },
          ...DIALOGS.map(({ kind, op, action, danger = false }) => ({
            ...item(kind, op, action),
            danger,
            onClick: () => setDialog(kind),
          })),
        ]}
      />
      <ChangeFailure error={change.error} />
      {dialog && (
        <DriveDialog
          key={dialog}
          kind={dialog}
          drive={drive}
          groups={groups}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  )
}
