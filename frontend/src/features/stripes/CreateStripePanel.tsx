import { Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stripeChanges } from '@/api/stripes'
import type { StripeCreate, VirtualDrive } from '@/api/types'
import { virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { CommandError } from '@/entities/commands/follow'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { problemOf } from '@/lib/problem'
import { ActionButton } from '@/ui/ActionButton'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { type StripeWish, toStripe } from './wish'

interface CreateStripePanelProps {
  hostId: string
  wish: StripeWish
  members: VirtualDrive[]
}

/** Refusals that the host takes back if what is on the members is given up. */
const GIVE_UP = ['stripe_has_data', 'stripe_member_incomplete']

function refusalOf(error: Error | null): string | undefined {
  if (error instanceof CommandError) return error.command.reason?.code
  return error === null ? undefined : problemOf(error).code
}

export function CreateStripePanel({ hostId, wish, members }: CreateStripePanelProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asksToGiveUp, setAsksToGiveUp] = useState(false)
  const [typed, setTyped] = useState('')
  const request = toStripe(wish, members)
  const firstName = members[0]?.name ?? ''

  async function open(memberId: string) {
    const member = await client.fetchQuery({ ...virtualDriveQuery(memberId), staleTime: 0 })
    if (member.stripe === null) {
      void navigate({ to: '/hosts/$hostId', params: { hostId } })
      return
    }
    void navigate({
      to: '/hosts/$hostId/stripes/$stripeKey',
      params: { hostId, stripeKey: member.stripe.key },
    })
  }

  const create = useChange(
    ({ firstId, body }: { firstId: string; body: StripeCreate }) =>
      stripeChanges.create(firstId, body),
    {
      done: t('stripe.create.done', { name: wish.name }),
      onDone: () => void (request && open(request.first.id)),
    },
  )

  const reason = () => {
    if (!request) return t('stripe.create.notReady')
    if (asksToGiveUp && typed !== firstName) return t('stripe.create.giveUpReason')
    return blockedText(request.first.blocked, 'stripe_create')
  }

  return (
    <Panel title={t('stripe.create.what')}>
      <Stack gap="md">
        <p>{t('stripe.create.whatText')}</p>
        <Notice tone="warn">{t('stripe.create.whatRisk')}</Notice>
        <ChangeFailure error={create.error} />
        {asksToGiveUp && (
          <Notice tone="crit" title={t('stripe.create.giveUp')}>
            <TextInput
              mt="xs"
              label={t('stripe.create.giveUpField')}
              description={t('stripe.create.giveUpHelp', { name: firstName })}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </Notice>
        )}
        <ActionButton
          fullWidth
          size="md"
          {...(asksToGiveUp && { color: 'red' })}
          loading={create.isPending}
          blockedReason={reason()}
          onClick={() => {
            if (!request) return
            const { first, body } = request
            create.mutate(
              {
                firstId: first.id,
                body: asksToGiveUp ? { ...body, force: true, confirm: typed } : body,
              },
              { onError: (error) => setAsksToGiveUp(GIVE_UP.includes(refusalOf(error) ?? '')) },
            )
          }}
        >
          {wish.name ? t('stripe.create.named', { name: wish.name }) : t('stripe.create.label')}
        </ActionButton>
        {create.isPending && <p role="status">{t('stripe.create.working')}</p>}
      </Stack>
    </Panel>
  )
}
