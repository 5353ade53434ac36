import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { controllerQuery } from '@/api/controllers'
import { drivesQuery } from '@/api/drives'
import { groupQuery } from '@/api/groups'
import type { Operation, VirtualDrive } from '@/api/types'
import { virtualDriveChanges } from '@/api/virtual-drives'
import { RecentEvents } from '@/entities/events/RecentEvents'
import { BadBlocksPanel } from '@/entities/figures/BadBlocksPanel'
import type { Range } from '@/entities/figures/figures'
import { HistoryPanel } from '@/entities/figures/HistoryPanel'
import { LatencyPanel } from '@/entities/figures/LatencyPanel'
import { RatesPanel } from '@/entities/figures/RatesPanel'
import { OperationsList } from '@/entities/operations/OperationsList'
import { blockedText, word } from '@/entities/states/words'
import { MemberOf } from '@/entities/stripes/MemberOf'
import { ExportPanel } from '@/entities/virtual-drives/ExportPanel'
import { MembersTable } from '@/features/groups/MembersTable'
import { CheckPanel } from '@/features/virtual-drives/CheckPanel'
import { PolicyPanel } from '@/features/virtual-drives/PolicyPanel'
import type { VirtualDriveTab } from '@/features/virtual-drives/search'
import { VirtualDriveActions } from '@/features/virtual-drives/VirtualDriveActions'
import { formatDuration } from '@/lib/format'
import { Facts } from '@/ui/Facts'
import { Loaded } from '@/ui/Loaded'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Bytes, Strip, Timestamp } from '@/ui/Quantity'

interface TabProps {
  virtualDrive: VirtualDrive
  running: Operation[]
}

interface PerformanceProps {
  virtualDrive: VirtualDrive
  range: Range
  onRangeChange: (range: Range) => void
}

type TabContentProps = TabProps & PerformanceProps & { tab: VirtualDriveTab }

/** What one tab of the page holds. */
export function TabContent({ tab, virtualDrive, running, ...history }: TabContentProps) {
  const { t } = useTranslation()
  if (tab === 'performance') return <Performance virtualDrive={virtualDrive} {...history} />
  if (tab === 'members') return <MembersPanel virtualDrive={virtualDrive} />
  if (tab === 'policies') return <PolicyPanel virtualDrive={virtualDrive} />
  if (tab === 'operations') return <OperationsTab virtualDrive={virtualDrive} running={running} />
  if (tab === 'events') return <RecentEvents filter={{ object_id: [virtualDrive.id] }} />
  if (tab === 'use') {
    const none = virtualDrive.stripe ? t('stripe.memberUse') : t('vd.noExports')
    return <ExportPanel of={virtualDrive} none={none} />
  }
  return <Overview virtualDrive={virtualDrive} running={running} />
}

/** What the controller's cache does for all its virtual drives together. */
const CACHE_SERIES = ['read_hit_percent', 'dirty_bytes', 'destage_bytes_per_s']

function Performance({ virtualDrive, range, onRangeChange }: PerformanceProps) {
  const { t } = useTranslation()
  const { controller_id, id } = virtualDrive
  const controller = useQuery(controllerQuery(controller_id))
  return (
    <PanelStack>
      <RatesPanel kind="virtual_drive" id={id} />
      <LatencyPanel
        kind="virtual_drive"
        id={id}
        blockedReason={blockedText(virtualDrive.blocked, 'counters_reset')}
        onReset={() => virtualDriveChanges.resetCounters(virtualDrive)}
      />
      {controller.data?.cache && (
        <HistoryPanel
          title={t('history.ofCache')}
          objectId={controller_id}
          names={CACHE_SERIES}
          {...{ range, onRangeChange }}
        />
      )}
    </PanelStack>
  )
}

function Overview({ virtualDrive, running }: TabProps) {
  const { t } = useTranslation()
  return (
    <PanelStack>
      {running.length > 0 && (
        <Panel title={t('vd.operations')}>
          <OperationsList operations={running} />
        </Panel>
      )}
      {(virtualDrive.bad_block_count ?? 0) > 0 && (
        <BadBlocksPanel kind="virtual_drive" id={virtualDrive.id} />
      )}
      <PanelGrid>
        <Panel title={t('vd.actions')}>
          <VirtualDriveActions virtualDrive={virtualDrive} />
        </Panel>
        <Panel title={t('vd.about')}>
          <VirtualDriveFacts virtualDrive={virtualDrive} />
        </Panel>
      </PanelGrid>
    </PanelStack>
  )
}

function OperationsTab({ virtualDrive, running }: TabProps) {
  const { t } = useTranslation()
  return (
    <PanelStack>
      <Panel title={t('vd.operations')}>
        <OperationsList operations={running} empty={t('vd.noOperations')} />
      </Panel>
      {virtualDrive.consistency_check && (
        <CheckPanel result={virtualDrive.consistency_check} block={virtualDrive.block_bytes} />
      )}
    </PanelStack>
  )
}

function MembersPanel({ virtualDrive }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  const group = useQuery(groupQuery(virtualDrive.drive_group_id))
  const drives = useQuery(drivesQuery(virtualDrive.host_id))
  return (
    <Panel title={t('group.members')} flush>
      <Loaded query={group}>
        {(of) => (
          <Loaded query={drives}>{(all) => <MembersTable group={of} drives={all} />}</Loaded>
        )}
      </Loaded>
    </Panel>
  )
}

function VirtualDriveFacts({ virtualDrive }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  return (
    <Facts
      facts={[
        ...(virtualDrive.stripe
          ? [{ label: t('stripe.memberTitle'), value: <MemberOf virtualDrive={virtualDrive} /> }]
          : []),
        { label: t('group.help'), value: word('virtualDriveStateHelp', virtualDrive.state) },
        {
          label: t('vd.consistent'),
          value: virtualDrive.consistent ? t('vd.consistentYes') : t('vd.consistentNo'),
        },
        { label: t('vd.strip'), value: <Strip bytes={virtualDrive.strip_bytes} /> },
        { label: t('vd.block'), value: <Bytes bytes={virtualDrive.block_bytes} /> },
        { label: t('vd.mediaErrors'), value: virtualDrive.media_error_count },
        ...(virtualDrive.cache?.flush_after_ms
          ? [
              {
                label: t('policy.inCache'),
                value: t('policy.flushAfter', {
                  time: formatDuration(virtualDrive.cache.flush_after_ms / 1000),
                }),
              },
            ]
          : []),
        { label: t('vd.created'), value: <Timestamp time={virtualDrive.created_at} /> },
        { label: t('vd.guid'), value: <code>{virtualDrive.guid}</code> },
      ]}
    />
  )
}
