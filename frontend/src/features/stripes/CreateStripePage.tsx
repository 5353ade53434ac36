import '@/locales/later/storage'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '@/api/hosts'
import { HostGone } from '@/entities/hosts/HostGone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { useInventory } from '@/entities/hosts/use-inventory'
import { EmptyState } from '@/ui/EmptyState'
import { Failure } from '@/ui/Failure'
import { isGone } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { PanelStack } from '@/ui/Panel'
import { StripeForm } from './StripeForm'

export function CreateStripePage({ hostId }: { hostId: string }) {
  const { t } = useTranslation()
  const asked = useQuery(hostQuery(hostId))
  const host = asked.data
  const { inventory, error, retry } = useInventory(hostId)
  if (isGone(asked)) return <HostGone last={host} />
  return (
    <>
      <ObjectHeader
        of={{ host_id: hostId, host_name: host?.label ?? t('common.host') }}
        title={t('stripe.create.title')}
        {...(host && { subtitle: t('stripe.create.on', { host: host.label }) })}
      />
      <PanelStack>
        {host && <StaleBanner of={host} />}
        {error && !inventory && <Failure error={error} onRetry={retry} />}
        {!inventory && !error && <Loading />}
        {inventory?.virtualDrives.length === 0 && (
          <EmptyState kind="none-yet" title={t('stripe.create.noVirtualDrives')} />
        )}
        {inventory && inventory.virtualDrives.length > 0 && (
          <StripeForm hostId={hostId} inventory={inventory} />
        )}
      </PanelStack>
    </>
  )
}
