import { useTranslation } from 'react-i18next'
import { driveChanges } from '@/api/drives'
import type { Drive, DriveGroup } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { formatBytes } from '@/lib/format'
import { ConfirmDialog, type Grade } from '@/ui/ConfirmDialog'
import { CopybackDialog } from './CopybackDialog'
import { EraseDialog } from './EraseDialog'
import { ReplaceDialog } from './ReplaceDialog'
import { SpareDialog } from './SpareDialog'

export type DriveDialogKind =
  | 'spare_add'
  | 'spare_remove'
  | 'drive_replace'
  | 'copyback_start'
  | 'rebuild_stop'
  | 'drive_good'
  | 'drive_offline'
  | 'drive_online'
  | 'drive_missing'
  | 'erase_start'
  | 'erase_stop'

export interface DriveDialogProps {
  drive: Drive
  groups: DriveGroup[]
  onClose: () => void
}

export function DriveDialog({ kind, ...props }: DriveDialogProps & { kind: DriveDialogKind }) {
  if (kind === 'spare_add') return <SpareDialog {...props} />
  if (kind === 'drive_replace') return <ReplaceDialog {...props} />
  if (kind === 'copyback_start') return <CopybackDialog {...props} />
  if (kind === 'erase_start') return <EraseDialog drive={props.drive} onClose={props.onClose} />
  return <DriveConfirm kind={kind} drive={props.drive} onClose={props.onClose} />
}

/** Slot and serial number together: one alone has pulled the wrong drive before. */
export function DriveLine({ drive }: { drive: Drive }) {
  const { t } = useTranslation()
  const size = formatBytes(drive.size_bytes)
  return <p>{t('driveDialog.which', { path: drive.path, size, serial: drive.serial })}</p>
}

interface DriveConfirmProps {
  kind: Exclude<DriveDialogKind, 'spare_add' | 'drive_replace' | 'copyback_start' | 'erase_start'>
  drive: Drive
  onClose: () => void
}

function DriveConfirm({ kind, drive, onClose }: DriveConfirmProps) {
  const { t } = useTranslation()
  const { path } = drive
  const texts = {
    spare_remove: {
      title: t('driveDialog.spareRemoveTitle', { path }),
      verb: t('driveDialog.spareRemoveVerb'),
      grade: { kind: 'plain' } as Grade,
      consequences: [t('driveDialog.spareRemoveText')],
    },
    rebuild_stop: {
      title: t('driveDialog.rebuildStopTitle', { path }),
      verb: t('driveDialog.rebuildStopVerb'),
      grade: { kind: 'plain' } as Grade,
      consequences: [t('driveDialog.rebuildStopText')],
    },
    drive_good: {
      title: t('driveDialog.goodTitle', { path }),
      verb: drive.foreign ? t('driveDialog.goodForeignVerb') : t('driveDialog.goodVerb'),
      grade: (drive.foreign
        ? { kind: 'typed', expected: drive.serial, label: t('driveDialog.serialLabel') }
        : { kind: 'plain' }) as Grade,
      consequences: [drive.foreign ? t('driveDialog.goodForeign') : t('driveDialog.goodPlain')],
    },
    drive_offline: {
      title: t('driveDialog.offlineTitle', { path }),
      verb: t('driveDialog.offlineVerb'),
      grade: { kind: 'consent', label: t('driveDialog.offlineConsent') } as Grade,
      consequences: [
        t('driveDialog.offlineStops'),
        t('driveDialog.offlineRedundancy'),
        t('driveDialog.offlineSpare'),
      ],
    },
    drive_online: {
      title: t('driveDialog.onlineTitle', { path }),
      verb: t('driveDialog.onlineVerb'),
      grade: { kind: 'consent', label: t('driveDialog.onlineConsent') } as Grade,
      consequences: [t('driveDialog.onlineTrust'), t('driveDialog.onlineResync')],
    },
    erase_stop: {
      title: t('driveDialog.eraseStopTitle', { path }),
      verb: t('driveDialog.eraseStopVerb'),
      grade: { kind: 'plain' } as Grade,
      consequences: [t('driveDialog.eraseStopText')],
    },
    drive_missing: {
      title: t('driveDialog.missingTitle', { path }),
      verb: t('driveDialog.missingVerb'),
      grade: { kind: 'consent', label: t('driveDialog.missingConsent') } as Grade,
      consequences: [t('driveDialog.missingPlace'), t('driveDialog.missingDrive')],
    },
  }[kind]

  const change = useChange(
    (typed: string) => {
      if (kind === 'spare_remove') return driveChanges.removeHotSpare(drive)
      if (kind === 'rebuild_stop') return driveChanges.rebuild(drive, 'stop')
      if (kind === 'drive_good')
        return driveChanges.makeGood(drive, drive.foreign ? typed : undefined)
      if (kind === 'drive_online') return driveChanges.setOnline(drive)
      if (kind === 'erase_stop') return driveChanges.stopErase(drive)
      if (kind === 'drive_missing') return driveChanges.setMissing(drive)
      return driveChanges.takeOffline(drive)
    },
    { done: t(`driveAction.done.${kind}`, { path }), onDone: onClose },
  )

  return (
    <ConfirmDialog
      opened
      {...texts}
      pending={change.isPending}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={(typed) => change.mutate(typed)}
      onClose={onClose}
    >
      <DriveLine drive={drive} />
    </ConfirmDialog>
  )
}
