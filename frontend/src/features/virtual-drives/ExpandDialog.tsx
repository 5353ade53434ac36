import { Radio, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Expansion, VirtualDrive } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { sendSeen } from '@/entities/commands/send-seen'
import { useChange } from '@/entities/commands/use-change'
import { formatBytes } from '@/lib/format'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { SizeField } from '@/ui/SizeField'

interface ExpandDialogProps {
  virtualDrive: VirtualDrive
  expansion: Expansion
  onClose: () => void
}

/** What an expansion begins with, as the dialog says it. */
const basis = ({ size_bytes, expansion }: VirtualDrive) => ({
  size_bytes,
  maximum_bytes: expansion?.maximum_bytes,
})

export function ExpandDialog({ virtualDrive, expansion, onClose }: ExpandDialogProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { maximum_bytes, row_bytes } = expansion
  const [choice, setChoice] = useState<'all' | 'part'>('all')
  const [partBytes, setPartBytes] = useState<number | null>(maximum_bytes)
  const name = virtualDrive.name || virtualDrive.path
  const wanted = choice === 'all' ? maximum_bytes : partBytes
  const connections = virtualDrive.exports.reduce((sum, each) => sum + each.connections, 0)
  const change = useChange(
    () =>
      sendSeen(
        client,
        (present) =>
          virtualDriveChanges.expand(present, {
            size_bytes: choice === 'part' && partBytes !== null ? partBytes : 'all',
          }),
        {
          seen: virtualDrive,
          look: () => client.fetchQuery({ ...virtualDriveQuery(virtualDrive.id), staleTime: 0 }),
          basis,
        },
      ),
    { done: t('vd.expanded', { name }), onDone: onClose },
  )

  const consequences: string[] = [
    t('vd.expandConsequences.content'),
    t('vd.expandConsequences.deleted'),
  ]
  if (wanted !== null) {
    consequences.unshift(
      t('vd.expandConsequences.size', {
        size: formatBytes(virtualDrive.size_bytes),
        now: formatBytes(wanted),
      }),
    )
  }
  if (connections > 0) {
    consequences.push(t('vd.expandConsequences.connections', { count: connections }))
  }

  return (
    <ConfirmDialog
      opened
      title={t('vd.expandTitle', { name })}
      verb={t('vd.expand', { name })}
      grade={{ kind: 'consent', label: t('vd.expandConsent') }}
      consequences={consequences}
      pending={change.isPending}
      complete={wanted !== null}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <Text>
        {t('vd.expandRoom', {
          size: formatBytes(virtualDrive.size_bytes),
          free: formatBytes(maximum_bytes - virtualDrive.size_bytes),
        })}
      </Text>
      <Radio.Group
        label={t('vd.expandSize')}
        value={choice}
        onChange={(value) => setChoice(value === 'part' ? 'part' : 'all')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('vd.expandAll', { size: formatBytes(maximum_bytes) })} />
          <Radio value="part" label={t('vd.expandFixed')} />
        </Stack>
      </Radio.Group>
      {choice === 'part' && (
        <SizeField
          label={t('vd.expandGb')}
          description={t('vd.expandGbHelp')}
          initialBytes={partBytes ?? maximum_bytes}
          unitBytes={row_bytes}
          minimumBytes={virtualDrive.size_bytes + row_bytes}
          maximumBytes={maximum_bytes}
          onChange={setPartBytes}
        />
      )}
    </ConfirmDialog>
  )
}
