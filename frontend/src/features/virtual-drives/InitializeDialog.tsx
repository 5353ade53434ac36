import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { VirtualDrive } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { sendSeen } from '@/entities/commands/send-seen'
import { useChange } from '@/entities/commands/use-change'
import { formatBytes } from '@/lib/format'
import { ConfirmDialog } from '@/ui/ConfirmDialog'

interface InitializeDialogProps {
  virtualDrive: VirtualDrive
  onClose: () => void
}

/** What an initialization takes, as the dialog says it. */
const lost = ({ name, path, size_bytes }: VirtualDrive) => ({ name: name || path, size_bytes })

export function InitializeDialog({ virtualDrive, onClose }: InitializeDialogProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const name = virtualDrive.name || virtualDrive.path
  const zero = useChange(
    (typed: string) =>
      sendSeen(client, (present) => virtualDriveChanges.zero(present, typed), {
        seen: virtualDrive,
        look: () => client.fetchQuery({ ...virtualDriveQuery(virtualDrive.id), staleTime: 0 }),
        basis: lost,
      }),
    { done: t('vd.initialized', { name }), onDone: onClose },
  )
  return (
    <ConfirmDialog
      opened
      title={t('vd.initializeTitle', { name })}
      verb={t('vd.initialize', { name })}
      grade={{ kind: 'typed', expected: name, label: t('vd.deleteLabel') }}
      consequences={[
        t('vd.initializeConsequences.data', { name, size: formatBytes(virtualDrive.size_bytes) }),
        t('vd.initializeConsequences.undo'),
        t('vd.initializeConsequences.export'),
      ]}
      pending={zero.isPending}
      failure={<ChangeFailure error={zero.error} />}
      onConfirm={(typed) => zero.mutate(typed)}
      onClose={onClose}
    />
  )
}
