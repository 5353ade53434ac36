import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { blockedText } from '@/entities/states/words'
import type { HostStripe } from '@/entities/stripes/stripes'
import { ActionList } from '@/ui/ActionList'
import { DeleteStripeDialog } from './DeleteStripeDialog'

export function StripeActions({ hostId, stripe }: { hostId: string; stripe: HostStripe }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState(false)
  return (
    <>
      <ActionList
        items={[
          {
            id: 'stripe_delete',
            label: t('stripe.delete.label'),
            explanation: t('stripe.delete.help'),
            blockedReason: blockedText(stripe.members[0].blocked, 'stripe_delete'),
            danger: true,
            onClick: () => setAsked(true),
          },
        ]}
      />
      {asked && (
        <DeleteStripeDialog hostId={hostId} stripe={stripe} onClose={() => setAsked(false)} />
      )}
    </>
  )
}
