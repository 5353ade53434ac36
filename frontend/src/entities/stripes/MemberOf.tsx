import { Link } from '@tanstack/react-router'
import { Trans } from 'react-i18next'
import type { VirtualDrive } from '@/api/types'

/** Says of a member which stripe it belongs to; nothing of any other virtual drive. */
export function MemberOf({ virtualDrive: { host_id, stripe } }: { virtualDrive: VirtualDrive }) {
  if (stripe === null) return null
  return (
    <span>
      <Trans
        i18nKey="stripe.memberOf"
        values={{ name: stripe.name }}
        components={{
          stripe: (
            <Link
              to="/hosts/$hostId/stripes/$stripeKey"
              params={{ hostId: host_id, stripeKey: stripe.key }}
            />
          ),
        }}
      />
    </span>
  )
}
