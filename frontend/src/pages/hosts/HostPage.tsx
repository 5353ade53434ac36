import '@/locales/later/drives'
import '@/locales/later/cache'
import '@/locales/later/patrol'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '@/api/hosts'
import type { Host } from '@/api/types'
import { Trouble } from '@/entities/alerts/Trouble'
import { HostGone } from '@/entities/hosts/HostGone'
import { healthLooks, healthOf } from '@/entities/hosts/health'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { type Inventory, useInventory } from '@/entities/hosts/use-inventory'
import { blockedText } from '@/entities/states/words'
import { HostFigures } from '@/features/hosts/HostFigures'
import { HOST_TABS, type HostSearch } from '@/features/hosts/search'
import { ActionButton } from '@/ui/ActionButton'
import { Failure } from '@/ui/Failure'
import { Loaded } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { PageHeader } from '@/ui/PageHeader'
import { PageTabs } from '@/ui/PageTabs'
import { PanelStack } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import { BaysPanel } from './BaysPanel'
import { TabContent } from './HostTabs'

interface HostPageProps {
  hostId: string
  search: HostSearch
  onSearchChange: (change: { [Key in keyof HostSearch]: HostSearch[Key] | undefined }) => void
}

export function HostPage(props: HostPageProps) {
  const host = useQuery(hostQuery(props.hostId))
  return (
    <Loaded query={host} gone={(last) => <HostGone last={last} />}>
      {(data) => <HostContent host={data} {...props} />}
    </Loaded>
  )
}

function HostContent({ host, search, onSearchChange }: HostPageProps & { host: Host }) {
  const { t } = useTranslation()
  const { inventory, error, retry } = useInventory(host.id)
  const look = healthLooks[healthOf(host)]
  return (
    <>
      <PageHeader
        title={host.label}
        crumbsLabel={t('common.breadcrumbs')}
        crumbs={[
          <Link key="fleet" to="/">
            {t('shell.fleet')}
          </Link>,
        ]}
        status={
          <Status tone={look.tone} icon={look.icon} variant="pill">
            {t(`fleet.healthWord.${healthOf(host)}`)}
          </Status>
        }
        actions={<CreateButton host={host} inventory={inventory} />}
      />
      <PanelStack>
        <StaleBanner of={host} />
        <Trouble filter={{ host_id: host.id }} />
        {inventory ? (
          <>
            <HostFigures host={host} inventory={inventory} />
            <BaysPanel
              host={host}
              inventory={inventory}
              search={search}
              onSearchChange={onSearchChange}
            />
            <PageTabs
              label={t('host.tabs.label')}
              value={search.tab}
              onChange={(tab) => onSearchChange({ tab })}
              tabs={HOST_TABS.map((id) => ({
                id,
                label: t(`host.tabs.${id}`),
                count: id === 'operations' ? inventory.operations.length : 0,
                render: () => <TabContent tab={id} host={host} inventory={inventory} />,
              }))}
            />
          </>
        ) : error ? (
          <Failure error={error} onRetry={retry} />
        ) : (
          <Loading />
        )}
      </PanelStack>
    </>
  )
}

function CreateButton({ host, inventory }: { host: Host; inventory: Inventory | undefined }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const reasons = inventory?.controllers.map((each) => blockedText(each.blocked, 'vd_create'))
  // Possible if any controller of the host can; otherwise the first one says why not.
  const reason = () => {
    if (reasons === undefined) return t('common.loading')
    return reasons.includes(undefined) ? undefined : (reasons[0] ?? t('host.noController'))
  }
  return (
    <ActionButton
      leftSection={<Plus size={16} aria-hidden />}
      blockedReason={reason()}
      onClick={() => void navigate({ to: '/hosts/$hostId/create', params: { hostId: host.id } })}
    >
      {t('host.create')}
    </ActionButton>
  )
}
