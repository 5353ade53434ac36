import '@/locales/later/storage'
import '@/locales/later/drives'
import '@/locales/later/cache'
import '@/locales/later/lab'
import '@/locales/later/wizard'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '@/api/hosts'
import { HostGone } from '@/entities/hosts/HostGone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { useInventory } from '@/entities/hosts/use-inventory'
import { reasonText } from '@/lib/told'
import { EmptyState } from '@/ui/EmptyState'
import { Failure } from '@/ui/Failure'
import { isGone } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { Notice } from '@/ui/Notice'
import { PanelStack } from '@/ui/Panel'
import type { WizardSearch } from './search'
import { Wizard } from './Wizard'

interface WizardPageProps {
  hostId: string
  search: WizardSearch
  onSearchChange: (search: WizardSearch) => void
}

export function WizardPage({ hostId, search, onSearchChange }: WizardPageProps) {
  const { t } = useTranslation()
  const asked = useQuery(hostQuery(hostId))
  const host = asked.data
  const { inventory, error, retry } = useInventory(hostId)
  const controllers = inventory?.controllers ?? []
  const [controller] = controllers
  // Possible if any controller of the host can; otherwise the first one says why not.
  const isBlocked = controllers.every(({ blocked }) => blocked.vd_create)
  const refusal = isBlocked ? controller?.blocked.vd_create : undefined
  const isForOthers = refusal?.code === 'role_needed'
  if (isGone(asked)) return <HostGone last={host} />
  return (
    <>
      <ObjectHeader
        of={{ host_id: hostId, host_name: host?.label ?? t('common.host') }}
        title={t('wizard.title')}
        {...(host && { subtitle: t('wizard.on', { host: host.label }) })}
      />
      <PanelStack>
        {host && <StaleBanner of={host} />}
        {error && !inventory && <Failure error={error} onRetry={retry} />}
        {!inventory && !error && <Loading />}
        {inventory && !controller && <EmptyState kind="none-yet" title={t('host.noController')} />}
        {refusal && isForOthers && (
          <EmptyState kind="not-allowed" title={t('wizard.notAllowed')}>
            {reasonText(refusal)}
          </EmptyState>
        )}
        {refusal && !isForOthers && (
          <Notice tone="warn" title={t('wizard.blocked')}>
            <p>{reasonText(refusal)}</p>
          </Notice>
        )}
        {inventory && controller && !isForOthers && (
          <Wizard
            inventory={inventory}
            firstController={controller}
            search={search}
            onSearchChange={onSearchChange}
          />
        )}
      </PanelStack>
    </>
  )
}
