import '@/locales/later/drives'
import '@/locales/later/cache'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { operationsQuery } from '@/api/activity'
import { driveChanges, driveQuery } from '@/api/drives'
import { groupsQuery } from '@/api/groups'
import type { Drive } from '@/api/types'
import { Trouble } from '@/entities/alerts/Trouble'
import { DriveStatus } from '@/entities/drives/DriveStatus'
import { RecentEvents } from '@/entities/events/RecentEvents'
import { BadBlocksPanel } from '@/entities/figures/BadBlocksPanel'
import { LatencyPanel } from '@/entities/figures/LatencyPanel'
import { RatesPanel } from '@/entities/figures/RatesPanel'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { OperationsList } from '@/entities/operations/OperationsList'
import { blockedText } from '@/entities/states/words'
import { Loaded } from '@/ui/Loaded'
import { PageTabs } from '@/ui/PageTabs'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { DriveActions } from './DriveActions'
import { DriveCounterFacts, DriveIdentityFacts, DriveStateFacts } from './DriveFacts'
import { DriveFigures } from './DriveFigures'
import { DRIVE_TABS, type DriveTab } from './search'
import { TryFailure } from './TryFailure'

interface DrivePageProps {
  driveId: string
  tab: DriveTab | undefined
  onTabChange: (tab: DriveTab) => void
}

export function DrivePage(props: DrivePageProps) {
  const { driveId } = props
  const { t } = useTranslation()
  const drive = useQuery(driveQuery(driveId))
  return (
    <Loaded
      query={drive}
      gone={(last) => (
        <Gone
          kind="drive"
          id={driveId}
          of={last}
          title={last && t('drive.title', { path: last.path })}
        />
      )}
    >
      {(data) => <DriveContent drive={data} {...props} />}
    </Loaded>
  )
}

function DriveContent({ drive, tab, onTabChange }: DrivePageProps & { drive: Drive }) {
  const { t } = useTranslation()
  const operations = useQuery(operationsQuery({ target_id: drive.id, active: true }))
  const running = operations.data?.items ?? []
  return (
    <>
      <ObjectHeader
        of={drive}
        title={t('drive.title', { path: drive.path })}
        bay={drive.slot === null ? undefined : drive.path.replace(/^\//, '')}
        status={<DriveStatus state={drive.state} variant="pill" />}
      />
      <PanelStack>
        <StaleBanner of={drive} />
        <Trouble filter={{ object_id: drive.id }} />
        <DriveFigures drive={drive} operations={running} />
        {running.length > 0 && (
          <Panel title={t('host.operations')}>
            <OperationsList operations={running} empty="" />
          </Panel>
        )}
        <PageTabs
          label={t('drive.tabs.label')}
          value={tab}
          onChange={onTabChange}
          tabs={DRIVE_TABS.map((id) => ({
            id,
            label: t(`drive.tabs.${id}`),
            render: () => <TabContent tab={id} drive={drive} />,
          }))}
        />
      </PanelStack>
    </>
  )
}

function TabContent({ tab, drive }: { tab: DriveTab; drive: Drive }) {
  const { t } = useTranslation()
  if (tab === 'health') {
    return (
      <PanelStack>
        <Panel title={t('drive.counters')}>
          <DriveCounterFacts drive={drive} />
        </Panel>
        {(drive.bad_block_count ?? 0) > 0 && <BadBlocksPanel kind="drive" id={drive.id} />}
      </PanelStack>
    )
  }
  if (tab === 'performance') {
    return (
      <PanelStack>
        <RatesPanel kind="drive" id={drive.id} />
        <LatencyPanel
          kind="drive"
          id={drive.id}
          blockedReason={blockedText(drive.blocked, 'counters_reset')}
          onReset={() => driveChanges.resetCounters(drive)}
        />
      </PanelStack>
    )
  }
  if (tab === 'events') return <RecentEvents filter={{ object_id: [drive.id] }} />
  return <Overview drive={drive} />
}

function Overview({ drive }: { drive: Drive }) {
  const { t } = useTranslation()
  const groups = useQuery(groupsQuery(drive.host_id)).data ?? []
  return (
    <PanelGrid>
      <PanelStack>
        <Panel title={t('drive.state')}>
          <DriveStateFacts drive={drive} groups={groups} />
        </Panel>
        <Panel title={t('drive.identity')}>
          <DriveIdentityFacts drive={drive} />
        </Panel>
      </PanelStack>
      <PanelStack>
        <Panel title={t('drive.actions')}>
          <DriveActions drive={drive} groups={groups} />
        </Panel>
        {drive.emulated && (
          <Panel title={t('fault.title')}>
            <TryFailure drive={drive} />
          </Panel>
        )}
      </PanelStack>
    </PanelGrid>
  )
}
