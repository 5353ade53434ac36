import '@/locales/later/drives'
import '@/locales/later/cache'
import '@/locales/later/patrol'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '@/api/hosts'
import { versionQuery } from '@/api/session'
import type { Host } from '@/api/types'
import { Trouble } from '@/features/alerts/Trouble'
import { ScenarioPanel } from '@/features/demo/ScenarioPanel'
import { RecentEvents } from '@/features/events/RecentEvents'
import { healthLooks, healthOf } from '@/features/fleet/health'
import { OperationsList } from '@/features/operations/OperationsList'
import { blockedText } from '@/features/states/words'
import { StripesPanel } from '@/features/stripes/StripesPanel'
import { ActionButton } from '@/ui/ActionButton'
import { EmptyState } from '@/ui/EmptyState'
import { Failure } from '@/ui/Failure'
import { Loaded } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { NotFound } from '@/ui/NotFound'
import { PageHeader } from '@/ui/PageHeader'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import { BaysPanel } from './BaysPanel'
import { ControllersPanel } from './ControllersPanel'
import { HostFacts } from './HostFacts'
import { HostFigures } from './HostFigures'
import { LogicalTree } from './LogicalTree'
import { PatrolPanel } from './PatrolPanel'
import { StaleBanner } from './StaleBanner'
import type { HostSearch } from './search'
import { type Inventory, useInventory } from './use-inventory'

interface HostPageProps {
  hostId: string
  search: HostSearch
  onSearchChange: (change: { [Key in keyof HostSearch]: HostSearch[Key] | undefined }) => void
}

export function HostPage(props: HostPageProps) {
  const host = useQuery(hostQuery(props.hostId))
  return (
    <Loaded query={host} gone={(last) => (last ? <HostGone label={last.label} /> : <NotFound />)}>
      {(data) => <HostContent host={data} {...props} />}
    </Loaded>
  )
}

function HostGone({ label }: { label: string }) {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={label} />
      <EmptyState
        kind="none-match"
        title={t('gone.now.host')}
        action={<Link to="/">{t('common.toFleet')}</Link>}
      >
        {t('gone.hostText')}
      </EmptyState>
    </>
  )
}

function HostContent({ host, search, onSearchChange }: HostPageProps & { host: Host }) {
  const { t } = useTranslation()
  const { inventory, error, retry } = useInventory(host.id)
  const isDemo = useQuery(versionQuery).data?.demo
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
            <PanelGrid>
              <PanelStack>
                {isDemo && <ScenarioPanel inventory={inventory} />}
                <Panel title={t('host.logical')}>
                  <LogicalTree inventory={inventory} />
                </Panel>
                {inventory.virtualDrives.length > 0 && (
                  <StripesPanel hostId={host.id} virtualDrives={inventory.virtualDrives} />
                )}
                <ControllersPanel controllers={inventory.controllers} />
              </PanelStack>
              <PanelStack>
                <Panel title={t('host.operations')}>
                  <OperationsList
                    operations={inventory.operations}
                    empty={t('host.noOperations')}
                  />
                </Panel>
                <PatrolPanel
                  controllers={inventory.controllers}
                  operations={inventory.operations}
                />
                <HostFacts host={host} />
              </PanelStack>
            </PanelGrid>
          </>
        ) : error ? (
          <Failure error={error} onRetry={retry} />
        ) : (
          <Loading />
        )}
        <RecentEvents filter={{ host_id: host.id }} />
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
