import { Link, useNavigate } from '@tanstack/react-router'
import { Columns2, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { VirtualDrive } from '@/api/types'
import { blockedText } from '@/entities/states/words'
import { StripeStatus } from '@/entities/stripes/StripeStatus'
import { type HostStripe, stripesOf } from '@/entities/stripes/stripes'
import { ActionButton } from '@/ui/ActionButton'
import { Panel } from '@/ui/Panel'
import { Bytes } from '@/ui/Quantity'
import classes from './Stripes.module.css'

interface StripesPanelProps {
  hostId: string
  virtualDrives: VirtualDrive[]
}

/** The stripes of a host, and the way to another one. */
export function StripesPanel({ hostId, virtualDrives }: StripesPanelProps) {
  const { t } = useTranslation()
  const stripes = stripesOf(virtualDrives)
  return (
    <Panel
      title={t('stripe.panel')}
      aside={<CreateButton hostId={hostId} virtualDrives={virtualDrives} />}
    >
      {stripes.length === 0 && <p>{t('stripe.none')}</p>}
      <ul className={classes.list}>
        {stripes.map((stripe) => (
          <StripeItem key={stripe.key} hostId={hostId} stripe={stripe} />
        ))}
      </ul>
    </Panel>
  )
}

function StripeItem({ hostId, stripe }: { hostId: string; stripe: HostStripe }) {
  const { t } = useTranslation()
  return (
    <li>
      <Columns2 size={16} aria-hidden />
      <Link
        to="/hosts/$hostId/stripes/$stripeKey"
        params={{ hostId, stripeKey: stripe.key }}
        className={classes.name}
      >
        {stripe.name}
      </Link>
      <Bytes bytes={stripe.size_bytes} />
      <StripeStatus state={stripe.state} />
      <span className={classes.detail}>
        {t('stripe.over', {
          names: stripe.members.map((member) => member.name || member.path).join(', '),
        })}
      </span>
    </li>
  )
}

function CreateButton({ hostId, virtualDrives }: StripesPanelProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const reasons = virtualDrives.map((each) => blockedText(each.blocked, 'stripe_create'))
  return (
    <ActionButton
      variant="default"
      size="compact-sm"
      leftSection={<Plus size={16} aria-hidden />}
      blockedReason={reasons.includes(undefined) ? undefined : reasons[0]}
      onClick={() => void navigate({ to: '/hosts/$hostId/create-stripe', params: { hostId } })}
    >
      {t('stripe.create.label')}
    </ActionButton>
  )
}
