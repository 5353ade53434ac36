import { Checkbox } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { groupQuery } from '@/api/groups'
import type { VirtualDrive } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { sendSeen } from '@/entities/commands/send-seen'
import { useChange } from '@/entities/commands/use-change'
import { formatBytes } from '@/lib/format'
import { ConfirmDialog } from '@/ui/ConfirmDialog'

interface DeleteDialogProps {
  virtualDrive: VirtualDrive
  onClose: () => void
}

/** What a deletion takes, as the dialog says it. */
const lost = ({ name, path, size_bytes, drive_group_id, exports }: VirtualDrive) => ({
  name: name || path,
  size_bytes,
  drive_group_id,
  connections: exports.reduce((sum, each) => sum + each.connections, 0),
})

export function DeleteDialog({ virtualDrive, onClose }: DeleteDialogProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [force, setForce] = useState(false)
  const group = useQuery(groupQuery(virtualDrive.drive_group_id)).data
  const name = virtualDrive.name || virtualDrive.path
  const { connections } = lost(virtualDrive)
  const others = (group?.virtual_drive_ids.length ?? 1) - 1
  const remove = useChange(
    (typed: string) =>
      sendSeen(client, (present) => virtualDriveChanges.remove(present, typed, force), {
        seen: virtualDrive,
        look: () => client.fetchQuery({ ...virtualDriveQuery(virtualDrive.id), staleTime: 0 }),
        basis: lost,
      }),
    {
      done: t('vd.deleted', { name }),
      onDone: () =>
        void navigate({ to: '/hosts/$hostId', params: { hostId: virtualDrive.host_id } }),
    },
  )

  const consequences: string[] = [
    t('vd.deleteConsequences.data', { name, size: formatBytes(virtualDrive.size_bytes) }),
  ]
  if (group) {
    consequences.push(
      others > 0
        ? t('vd.deleteConsequences.others', { count: others, group: group.path })
        : t('vd.deleteConsequences.last', { count: group.members.length, group: group.path }),
    )
  }
  consequences.push(t('vd.deleteConsequences.undo'))
  if (connections > 0) {
    consequences.push(t('vd.deleteConsequences.connections', { count: connections }))
  }

  return (
    <ConfirmDialog
      opened
      title={t('vd.deleteTitle', { name })}
      verb={t('vd.delete', { name })}
      grade={{ kind: 'typed', expected: name, label: t('vd.deleteLabel') }}
      consequences={consequences}
      pending={remove.isPending}
      failure={<ChangeFailure error={remove.error} />}
      options={
        connections > 0 && (
          <Checkbox
            label={t('vd.deleteForce')}
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        )
      }
      onConfirm={(typed) => remove.mutate(typed)}
      onClose={onClose}
    />
  )
}
