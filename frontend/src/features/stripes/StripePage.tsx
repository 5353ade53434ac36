import '@/locales/later/storage'
import '@/locales/later/cache'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '@/api/hosts'
import type { Host } from '@/api/types'
import { virtualDrivesQuery } from '@/api/virtual-drives'
import { RecentEvents } from '@/entities/events/RecentEvents'
import { HostGone } from '@/entities/hosts/HostGone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { word } from '@/entities/states/words'
import { StripeStatus } from '@/entities/stripes/StripeStatus'
import { type HostStripe, stripesOf } from '@/entities/stripes/stripes'
import { ExportPanel } from '@/entities/virtual-drives/ExportPanel'
import { reasonText } from '@/lib/told'
import { EmptyState } from '@/ui/EmptyState'
import { Facts } from '@/ui/Facts'
import { Loaded } from '@/ui/Loaded'
import { Notice } from '@/ui/Notice'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Bytes, Strip } from '@/ui/Quantity'
import { PlacesTable } from './PlacesTable'
import { StripeActions } from './StripeActions'
import classes from './Stripes.module.css'

interface StripePageProps {
  hostId: string
  stripeKey: string
}

export function StripePage({ hostId, stripeKey }: StripePageProps) {
  const { t } = useTranslation()
  const host = useQuery(hostQuery(hostId))
  const virtualDrives = useQuery(virtualDrivesQuery(hostId))
  return (
    <Loaded query={host} gone={(last) => <HostGone last={last} />}>
      {(of) => (
        <Loaded query={virtualDrives}>
          {(data) => {
            const stripe = stripesOf(data).find((each) => each.key === stripeKey)
            return stripe ? (
              <Content host={of} stripe={stripe} />
            ) : (
              <>
                <ObjectHeader
                  of={{ host_id: of.id, host_name: of.label }}
                  title={t('stripe.title')}
                />
                <EmptyState kind="none-match" title={t('stripe.gone')}>
                  {t('stripe.goneText')}
                </EmptyState>
              </>
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}

function Content({ host, stripe }: { host: Host; stripe: HostStripe }) {
  const { t } = useTranslation()
  return (
    <>
      <ObjectHeader
        of={{ host_id: host.id, host_name: host.label }}
        title={stripe.name}
        status={<StripeStatus state={stripe.state} variant="pill" />}
        subtitle={t('stripe.title')}
      />
      <PanelStack>
        <StaleBanner of={host} />
        <PanelGrid>
          <Panel title={t('stripe.about')}>
            <StripeFacts stripe={stripe} />
          </Panel>
          <Panel title={t('stripe.actions')}>
            <StripeActions hostId={host.id} stripe={stripe} />
          </Panel>
        </PanelGrid>
        <Panel title={t('stripe.members')} flush>
          <PlacesTable stripe={stripe} />
        </Panel>
        <Guarantee stripe={stripe} />
        <ExportPanel
          of={{
            name: stripe.name,
            path: stripe.name,
            block_bytes: Math.max(...stripe.members.map((member) => member.block_bytes)),
            exports: stripe.exports,
          }}
          none={t('stripe.noExports')}
        />
        <RecentEvents filter={{ object_id: stripe.members.map((member) => member.id) }} />
      </PanelStack>
    </>
  )
}

function StripeFacts({ stripe }: { stripe: HostStripe }) {
  const { t } = useTranslation()
  return (
    <Facts
      facts={[
        { label: t('stripe.size'), value: <Bytes bytes={stripe.size_bytes} /> },
        {
          label: t('stripe.state'),
          value: (
            <>
              <StripeStatus state={stripe.state} />
              <p className={classes.help}>{word('hostStripeStateHelp', stripe.state)}</p>
            </>
          ),
        },
        {
          label: t('stripe.found'),
          value: t('stripe.foundValue', {
            found: stripe.members_found,
            count: stripe.member_count,
          }),
        },
        { label: t('stripe.strip'), value: <Strip bytes={stripe.strip_bytes} /> },
        { label: t('stripe.perMember'), value: <Bytes bytes={stripe.member_bytes} /> },
        { label: t('stripe.identity'), value: <code>{stripe.key}</code> },
      ]}
    />
  )
}

/** The stripe promises what all of its members promise; said once where they agree. */
function Guarantee({ stripe: { members } }: { stripe: HostStripe }) {
  const { t } = useTranslation()
  const texts = members.map(({ guarantee }) => reasonText(guarantee))
  const agreed = new Set(texts).size === 1
  return (
    <Notice tone="info" title={t('stripe.guarantee')}>
      <p>{t('stripe.guaranteeText')}</p>
      {agreed && <p>{texts[0]}</p>}
      {!agreed && (
        <ul className={classes.guarantee}>
          {members.map((member, index) => (
            <li key={member.id}>
              {t('stripe.guaranteeOf', {
                name: member.name || member.path,
                text: texts[index] ?? '',
              })}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}
