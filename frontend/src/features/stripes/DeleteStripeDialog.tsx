import { Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stripeChanges } from '@/api/stripes'
import type { VirtualDrive } from '@/api/types'
import { virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { sendSeen } from '@/entities/commands/send-seen'
import { useChange } from '@/entities/commands/use-change'
import { connectionsOf, type HostStripe } from '@/entities/stripes/stripes'
import { formatBytes } from '@/lib/format'
import { ConfirmDialog } from '@/ui/ConfirmDialog'

interface DeleteStripeDialogProps {
  hostId: string
  stripe: HostStripe
  onClose: () => void
}

/** What a deletion takes, as a member tells it. */
const lost = ({ stripe }: VirtualDrive) =>
  stripe && [stripe.key, stripe.name, stripe.members_found, connectionsOf(stripe)]

export function DeleteStripeDialog({ hostId, stripe, onClose }: DeleteStripeDialogProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [force, setForce] = useState(false)
  const { name, members } = stripe
  const connections = connectionsOf(stripe)
  const remove = useChange(
    (typed: string) =>
      sendSeen(client, (present) => stripeChanges.remove(present, typed, force), {
        seen: members[0],
        look: () => client.fetchQuery({ ...virtualDriveQuery(members[0].id), staleTime: 0 }),
        basis: lost,
      }),
    {
      done: t('stripe.delete.done', { name }),
      onDone: () => void navigate({ to: '/hosts/$hostId', params: { hostId } }),
    },
  )
  const consequences: string[] = [
    t('stripe.delete.data', { name, size: formatBytes(stripe.size_bytes) }),
    t('stripe.delete.members', {
      names: members.map((member) => member.name || member.path).join(', '),
    }),
  ]
  if (connections > 0) {
    consequences.push(t('stripe.delete.connections', { count: connections }))
  }
  // The host says first what stands in the way.
  const mayForce = connections > 0 || remove.isError || force
  return (
    <ConfirmDialog
      opened
      title={t('stripe.delete.title', { name })}
      verb={t('stripe.delete.title', { name })}
      grade={{ kind: 'typed', expected: name, label: t('stripe.delete.field') }}
      consequences={consequences}
      pending={remove.isPending}
      failure={<ChangeFailure error={remove.error} />}
      options={
        mayForce && (
          <Checkbox
            label={t('stripe.delete.force')}
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
