import '@/locales/later/storage'
import '@/locales/later/drives'
import '@/locales/later/stripes'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { groupQuery } from '@/api/groups'
import type { DriveGroup } from '@/api/types'
import { Trouble } from '@/entities/alerts/Trouble'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { type Inventory, useInventory } from '@/entities/hosts/use-inventory'
import { blockedText } from '@/entities/states/words'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { GroupFigures } from '@/features/groups/GroupFigures'
import { GROUP_TABS, type GroupTab } from '@/features/groups/search'
import { RestoreDeleted } from '@/features/undo/RestoreDeleted'
import { ActionButton } from '@/ui/ActionButton'
import { Failure } from '@/ui/Failure'
import { Loaded } from '@/ui/Loaded'
import { Loading } from '@/ui/Loading'
import { PageTabs } from '@/ui/PageTabs'
import { PanelStack } from '@/ui/Panel'
import { TabContent } from './GroupTabs'

interface GroupPageProps {
  groupId: string
  tab: GroupTab | undefined
  onTabChange: (tab: GroupTab) => void
}

export function GroupPage(props: GroupPageProps) {
  const { groupId } = props
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
      {(data) => <GroupContent group={data} {...props} />}
    </Loaded>
  )
}

function GroupContent({ group, tab, onTabChange }: GroupPageProps & { group: DriveGroup }) {
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
        {inventory && <GroupParts {...{ group, inventory, tab, onTabChange }} />}
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

interface GroupPartsProps extends Omit<GroupPageProps, 'groupId'> {
  group: DriveGroup
  inventory: Inventory
}

function GroupParts({ group, inventory, tab, onTabChange }: GroupPartsProps) {
  const { t } = useTranslation()
  const virtualDrives = inventory.virtualDrives.filter((each) => each.drive_group_id === group.id)
  const running = inventory.operations.filter((each) => each.drive_group_id === group.id)
  return (
    <>
      <GroupFigures group={group} virtualDrives={virtualDrives} operations={running} />
      <PageTabs
        label={t('group.tabs.label')}
        value={tab}
        onChange={onTabChange}
        tabs={GROUP_TABS.map((id) => ({
          id,
          label: t(`group.tabs.${id}`),
          count: id === 'operations' ? running.length : 0,
          render: () => <TabContent tab={id} {...{ group, virtualDrives, running, inventory }} />,
        }))}
      />
    </>
  )
}
