import '@/locales/later/storage'
import '@/locales/later/drives'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { groupQuery } from '@/api/groups'
import type { DriveGroup } from '@/api/types'
import { Trouble } from '@/features/alerts/Trouble'
import { Gone } from '@/features/hosts/Gone'
import { ObjectHeader } from '@/features/hosts/ObjectHeader'
import { StaleBanner } from '@/features/hosts/StaleBanner'
import { type Inventory, useInventory } from '@/features/hosts/use-inventory'
import { OperationsList } from '@/features/operations/OperationsList'
import { blockedText, word } from '@/features/states/words'
import { MemberOf } from '@/features/stripes/MemberOf'
import { RestoreDeleted } from '@/features/undo/RestoreDeleted'
import { VirtualDriveStatus } from '@/features/virtual-drives/VirtualDriveStatus'
import { ActionButton } from '@/ui/ActionButton'
import { Facts } from '@/ui/Facts'
import { Failure } from '@/ui/Failure'
import { Loaded } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Bytes } from '@/ui/Quantity'
import classes from './GroupPage.module.css'
import { MembersTable } from './MembersTable'
import { SpareChoices } from './SpareChoices'

export function GroupPage({ groupId }: { groupId: string }) {
  const { t } = useTranslation()
  const group = useQuery(groupQuery(groupId))
  return (
    <Loaded
      query={group}
      gone={(last) => (
        <Gone
          kind="drive_group"
          id={groupId}
          of={last}
          title={last && t('group.title', { path: last.path })}
        >
          {last && (
            <RestoreDeleted
              controllerId={last.controller_id}
              isIt={({ kind, drives }) =>
                kind === 'drive_group' &&
                drives.some(({ drive_id }) =>
                  last.members.some((member) => member.drive_id === drive_id),
                )
              }
            />
          )}
        </Gone>
      )}
    >
      {(data) => <GroupContent group={data} />}
    </Loaded>
  )
}

function GroupContent({ group }: { group: DriveGroup }) {
  const { t } = useTranslation()
  const { inventory, error, retry } = useInventory(group.host_id)
  return (
    <>
      <ObjectHeader
        of={group}
        title={t('group.title', { path: group.path })}
        status={<VirtualDriveStatus state={group.state} variant="pill" />}
        actions={<AddButton group={group} />}
      />
      <PanelStack>
        <StaleBanner of={group} />
        <Trouble filter={{ object_id: group.id }} />
        {error && !inventory && <Failure error={error} onRetry={retry} />}
        {!inventory && !error && <Loading />}
        {inventory && <GroupPanels group={group} inventory={inventory} />}
      </PanelStack>
    </>
  )
}

function AddButton({ group }: { group: DriveGroup }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <ActionButton
      leftSection={<Plus size={16} aria-hidden />}
      blockedReason={
        blockedText(group.blocked, 'vd_create') ??
        (group.free_bytes === 0 ? t('group.addNoSpace') : undefined)
      }
      onClick={() =>
        void navigate({
          to: '/hosts/$hostId/create',
          params: { hostId: group.host_id },
          search: { group: group.id },
        })
      }
    >
      {t('group.add')}
    </ActionButton>
  )
}

function GroupPanels({ group, inventory }: { group: DriveGroup; inventory: Inventory }) {
  const { t } = useTranslation()
  const own = inventory.virtualDrives.filter((each) => each.drive_group_id === group.id)
  const running = inventory.operations.filter((each) => each.drive_group_id === group.id)
  return (
    <>
      {running.length > 0 && (
        <Panel title={t('host.operations')}>
          <OperationsList operations={running} empty="" />
        </Panel>
      )}
      <Panel title={t('group.members')} flush>
        <MembersTable group={group} drives={inventory.drives} />
      </Panel>
      <PanelGrid>
        <Panel title={t('group.about')}>
          <Facts
            facts={[
              { label: t('group.level'), value: word('raidLevel', group.level) },
              {
                label: t('group.state'),
                value: (
                  <>
                    <VirtualDriveStatus state={group.state} />
                    <p className={classes.help}>{word('virtualDriveStateHelp', group.state)}</p>
                  </>
                ),
              },
              {
                label: t('group.layout'),
                value: t('group.layoutValue', {
                  count: group.span_count,
                  drives: group.drives_per_span,
                }),
              },
              { label: t('group.size'), value: <Bytes bytes={group.size_bytes} /> },
              { label: t('group.free'), value: <Bytes bytes={group.free_bytes} /> },
              { label: t('group.guid'), value: <code>{group.guid}</code> },
            ]}
          />
        </Panel>
        <PanelStack>
          <Panel title={t('group.virtualDrives')}>
            {own.length === 0 && <p>{t('group.noVirtualDrives')}</p>}
            <ul className={classes.list}>
              {own.map((each) => (
                <li key={each.id}>
                  <Link
                    to="/virtual-drives/$virtualDriveId"
                    params={{ virtualDriveId: each.id }}
                    className={classes.name}
                  >
                    {each.name || each.path}
                  </Link>
                  <Bytes bytes={each.size_bytes} />
                  <VirtualDriveStatus state={each.state} />
                  <MemberOf virtualDrive={each} />
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title={t('group.spares')}>
            <SpareChoices group={group} drives={inventory.drives} />
          </Panel>
        </PanelStack>
      </PanelGrid>
    </>
  )
}
