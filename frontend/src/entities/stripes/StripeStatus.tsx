import type { Stripe } from '@/api/types'
import { hostStripeLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { Status } from '@/ui/Status'

interface StripeStatusProps {
  state: Stripe['state']
  variant?: 'plain' | 'pill'
}

export function StripeStatus({ state, variant = 'plain' }: StripeStatusProps) {
  const look = hostStripeLooks[state] ?? UNKNOWN_LOOK
  return (
    <Status tone={look.tone} icon={look.icon} variant={variant}>
      {word('hostStripeState', state)}
    </Status>
  )
}
