import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { urgentAlertsQuery } from '@/api/activity'
import { fleetQuery } from '@/api/hosts'
import { useHasRole } from '@/entities/session/session'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { PageHeader } from '@/ui/PageHeader'
import { PanelStack } from '@/ui/Panel'
import { FleetFigures } from './FleetFigures'
import { HostsPanel } from './HostsPanel'
import type { FleetSearch } from './search'
import { Urgent } from './Urgent'

interface FleetPageProps {
  search: FleetSearch
  onSearchChange: (change: { [Key in keyof FleetSearch]: FleetSearch[Key] | undefined }) => void
}

export function FleetPage({ search, onSearchChange }: FleetPageProps) {
  const { t } = useTranslation()
  const fleet = useQuery(fleetQuery)
  const alerts = useQuery(urgentAlertsQuery)
  const mayAdd = useHasRole('administrator')

  return (
    <>
      <PageHeader
        title={t('fleet.title')}
        actions={
          mayAdd && (
            <Button
              renderRoot={(props) => <Link to="/hosts/add" {...props} />}
              variant="default"
              leftSection={<Plus size={16} aria-hidden />}
            >
              {t('shell.addHost')}
            </Button>
          )
        }
      />
      <Loaded query={fleet}>
        {(figures) =>
          figures.hosts === 0 ? (
            <NoHosts mayAdd={mayAdd} />
          ) : alerts.isPending ? (
            // Nothing that is drawn later moves down for them.
            <Loading />
          ) : (
            <PanelStack>
              <Urgent alerts={alerts} />
              <FleetFigures fleet={figures} />
              <HostsPanel search={search} onSearchChange={onSearchChange} />
            </PanelStack>
          )
        }
      </Loaded>
    </>
  )
}

function NoHosts({ mayAdd }: { mayAdd: boolean }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      kind="none-yet"
      title={t('fleet.emptyTitle')}
      action={
        mayAdd && (
          <Button renderRoot={(props) => <Link to="/hosts/add" {...props} />}>
            {t('fleet.emptyAction')}
          </Button>
        )
      }
    >
      {mayAdd ? t('fleet.emptyText') : t('fleet.emptyTextViewer')}
    </EmptyState>
  )
}
