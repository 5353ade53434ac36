import '@/locales/later/storage'
import '@/locales/later/cache'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { operationsQuery } from '@/api/activity'
import { controllerQuery } from '@/api/controllers'
import { groupQuery } from '@/api/groups'
import type { VirtualDrive } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { Trouble } from '@/features/alerts/Trouble'
import { RecentEvents } from '@/features/events/RecentEvents'
import { BadBlocksPanel } from '@/features/figures/BadBlocksPanel'
import { LatencyPanel } from '@/features/figures/LatencyPanel'
import { Gone } from '@/features/hosts/Gone'
import { ObjectHeader } from '@/features/hosts/ObjectHeader'
import { StaleBanner } from '@/features/hosts/StaleBanner'
import { OperationsList } from '@/features/operations/OperationsList'
import { vendorVirtualDrive } from '@/features/states/vocabulary'
import { blockedText, word } from '@/features/states/words'
import { MemberOf } from '@/features/stripes/MemberOf'
import { RestoreDeleted } from '@/features/undo/RestoreDeleted'
import { formatDuration } from '@/lib/format'
import { Facts } from '@/ui/Facts'
import { Loaded } from '@/ui/Loaded'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Bytes, Strip, Timestamp } from '@/ui/Quantity'
import { CheckPanel } from './CheckPanel'
import { ExportPanel } from './ExportPanel'
import { PolicyPanel } from './PolicyPanel'
import { VirtualDriveActions } from './VirtualDriveActions'
import { VirtualDriveFigures } from './VirtualDriveFigures'
import classes from './VirtualDrivePage.module.css'
import { VirtualDriveStatus } from './VirtualDriveStatus'

export function VirtualDrivePage({ virtualDriveId }: { virtualDriveId: string }) {
  const virtualDrive = useQuery(virtualDriveQuery(virtualDriveId))
  return (
    <Loaded
      query={virtualDrive}
      gone={(last) => (
        <Gone
          kind="virtual_drive"
          id={virtualDriveId}
          of={last}
          title={last && (last.name || last.path)}
        >
          {last && (
            <RestoreDeleted
              controllerId={last.controller_id}
              isIt={({ kind, name }) => kind !== 'foreign_set' && name === (last.name || last.path)}
            />
          )}
        </Gone>
      )}
    >
      {(data) => <VirtualDriveContent virtualDrive={data} />}
    </Loaded>
  )
}

function VirtualDriveContent({ virtualDrive }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  // Rebuilds have a drive as their target, but are this virtual drive's business as well.
  const operations = useQuery(
    operationsQuery({ drive_group_id: virtualDrive.drive_group_id, active: true }),
  )
  const controller = useQuery(controllerQuery(virtualDrive.controller_id))
  const vendorName = vendorVirtualDrive(controller.data, virtualDrive.index)
  const running = (operations.data?.items ?? []).filter(
    (each) => each.target_kind !== 'virtual_drive' || each.target_id === virtualDrive.id,
  )
  return (
    <>
      <ObjectHeader
        of={virtualDrive}
        title={virtualDrive.name || virtualDrive.path}
        below={[<GroupCrumb key="group" groupId={virtualDrive.drive_group_id} />]}
        status={<VirtualDriveStatus state={virtualDrive.state} variant="pill" />}
        subtitle={[`${t('vd.title')} ${virtualDrive.path}`, vendorName].filter(Boolean).join(' · ')}
      />
      <PanelStack>
        <StaleBanner of={virtualDrive} />
        <Trouble filter={{ object_id: virtualDrive.id }} />
        <VirtualDriveFigures virtualDrive={virtualDrive} operations={running} />
        {running.length > 0 && (
          <Panel title={t('vd.operations')}>
            <OperationsList operations={running} />
          </Panel>
        )}
        <PanelGrid>
          <Panel title={t('vd.about')}>
            <VirtualDriveFacts virtualDrive={virtualDrive} />
          </Panel>
          <Panel title={t('vd.actions')}>
            <VirtualDriveActions virtualDrive={virtualDrive} />
          </Panel>
        </PanelGrid>
        {virtualDrive.consistency_check && (
          <CheckPanel result={virtualDrive.consistency_check} block={virtualDrive.block_bytes} />
        )}
        <PolicyPanel virtualDrive={virtualDrive} />
        {(virtualDrive.bad_block_count ?? 0) > 0 && (
          <BadBlocksPanel kind="virtual_drive" id={virtualDrive.id} />
        )}
        <LatencyPanel
          kind="virtual_drive"
          id={virtualDrive.id}
          blockedReason={blockedText(virtualDrive.blocked, 'counters_reset')}
          onReset={() => virtualDriveChanges.resetCounters(virtualDrive)}
        />
        <ExportPanel
          of={virtualDrive}
          none={virtualDrive.stripe ? t('stripe.memberUse') : t('vd.noExports')}
        />
        <RecentEvents filter={{ object_id: [virtualDrive.id] }} />
      </PanelStack>
    </>
  )
}

function GroupCrumb({ groupId }: { groupId: string }) {
  const { t } = useTranslation()
  const { data } = useQuery(groupQuery(groupId))
  return (
    <Link to="/drive-groups/$groupId" params={{ groupId }}>
      {data?.path ?? t('vd.group')}
    </Link>
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
        { label: t('vd.level'), value: word('raidLevel', virtualDrive.level) },
        {
          label: t('group.state'),
          value: (
            <>
              <VirtualDriveStatus state={virtualDrive.state} />
              <p className={classes.help}>{word('virtualDriveStateHelp', virtualDrive.state)}</p>
            </>
          ),
        },
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
