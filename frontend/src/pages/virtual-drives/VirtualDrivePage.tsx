import '@/locales/later/storage'
import '@/locales/later/cache'
import '@/locales/later/drives'
import '@/locales/later/stripes'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Cable } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { operationsQuery } from '@/api/activity'
import { controllerQuery } from '@/api/controllers'
import { groupQuery } from '@/api/groups'
import type { VirtualDrive } from '@/api/types'
import { virtualDriveQuery } from '@/api/virtual-drives'
import { Trouble } from '@/entities/alerts/Trouble'
import type { Range } from '@/entities/figures/figures'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { vendorVirtualDrive } from '@/entities/states/vocabulary'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { RestoreDeleted } from '@/features/undo/RestoreDeleted'
import { EditButton } from '@/features/virtual-drives/EditButton'
import { VIRTUAL_DRIVE_TABS, type VirtualDriveTab } from '@/features/virtual-drives/search'
import { VirtualDriveFigures } from '@/features/virtual-drives/VirtualDriveFigures'
import { Loaded } from '@/ui/Loaded'
import { PageTabs } from '@/ui/PageTabs'
import { PanelStack } from '@/ui/Panel'
import { TabContent } from './VirtualDriveTabs'

interface VirtualDrivePageProps {
  virtualDriveId: string
  tab: VirtualDriveTab | undefined
  onTabChange: (tab: VirtualDriveTab) => void
  range: Range
  onRangeChange: (range: Range) => void
}

export function VirtualDrivePage(props: VirtualDrivePageProps) {
  const { virtualDriveId } = props
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
      {(data) => <VirtualDriveContent virtualDrive={data} {...props} />}
    </Loaded>
  )
}

function VirtualDriveContent({
  virtualDrive,
  tab,
  onTabChange,
  range,
  onRangeChange,
}: VirtualDrivePageProps & { virtualDrive: VirtualDrive }) {
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
        actions={
          <>
            <Button
              leftSection={<Cable size={16} aria-hidden />}
              onClick={() => onTabChange('use')}
            >
              {t('vd.useIt')}
            </Button>
            <EditButton virtualDrive={virtualDrive} />
          </>
        }
        subtitle={[`${t('vd.title')} ${virtualDrive.path}`, vendorName].filter(Boolean).join(' · ')}
      />
      <PanelStack>
        <StaleBanner of={virtualDrive} />
        <Trouble filter={{ object_id: virtualDrive.id }} />
        <VirtualDriveFigures virtualDrive={virtualDrive} operations={running} />
        <PageTabs
          label={t('vd.tabs.label')}
          value={tab}
          onChange={onTabChange}
          tabs={VIRTUAL_DRIVE_TABS.map((id) => ({
            id,
            label: t(`vd.tabs.${id}`),
            count: id === 'operations' ? running.length : 0,
            render: () => (
              <TabContent tab={id} {...{ virtualDrive, running, range, onRangeChange }} />
            ),
          }))}
        />
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
