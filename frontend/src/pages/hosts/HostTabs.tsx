import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { versionQuery } from '@/api/session'
import type { Host } from '@/api/types'
import { RecentEvents } from '@/entities/events/RecentEvents'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { OperationsList } from '@/entities/operations/OperationsList'
import { ScenarioPanel } from '@/features/demo/ScenarioPanel'
import { ControllersPanel } from '@/features/hosts/ControllersPanel'
import { HostFacts } from '@/features/hosts/HostFacts'
import { LogicalTree } from '@/features/hosts/LogicalTree'
import { PatrolPanel } from '@/features/hosts/PatrolPanel'
import type { HostTab } from '@/features/hosts/search'
import { StripesPanel } from '@/features/stripes/StripesPanel'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'

interface TabProps {
  host: Host
  inventory: Inventory
}

/** What one tab of the page holds. */
export function TabContent({ tab, host, inventory }: TabProps & { tab: HostTab }) {
  const { t } = useTranslation()
  if (tab === 'controllers') {
    return (
      <PanelGrid>
        <ControllersPanel controllers={inventory.controllers} />
        <PanelStack>
          <PatrolPanel controllers={inventory.controllers} operations={inventory.operations} />
          <ControllerOperations inventory={inventory} />
        </PanelStack>
      </PanelGrid>
    )
  }
  if (tab === 'operations') {
    return (
      <Panel title={t('host.operations')}>
        <OperationsList operations={inventory.operations} empty={t('host.noOperations')} />
      </Panel>
    )
  }
  if (tab === 'events') return <RecentEvents filter={{ host_id: host.id }} />
  if (tab === 'about') return <HostFacts host={host} />
  return <Storage host={host} inventory={inventory} />
}

/** What the controllers do as a whole: patrol reads. */
function ControllerOperations({ inventory }: { inventory: Inventory }) {
  const { t } = useTranslation()
  const own = inventory.operations.filter((each) => each.target_kind === 'controller')
  if (own.length === 0) return null
  return (
    <Panel title={t('host.operations')}>
      <OperationsList operations={own} />
    </Panel>
  )
}

function Storage({ host, inventory }: TabProps) {
  const { t } = useTranslation()
  const isDemo = useQuery(versionQuery).data?.demo
  const { operations, virtualDrives } = inventory
  return (
    <PanelStack>
      {isDemo && <ScenarioPanel inventory={inventory} />}
      {operations.length > 0 && (
        <Panel title={t('host.operations')}>
          <OperationsList operations={operations} />
        </Panel>
      )}
      <Panel title={t('host.logical')}>
        <LogicalTree inventory={inventory} />
      </Panel>
      {virtualDrives.length > 0 && <StripesPanel hostId={host.id} virtualDrives={virtualDrives} />}
    </PanelStack>
  )
}
