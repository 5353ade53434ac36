import { Link } from '@tanstack/react-router'
import { HardDrive, Layers } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { DriveGroup, VirtualDrive } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { vendorVirtualDrive } from '@/entities/states/vocabulary'
import { word } from '@/entities/states/words'
import { MemberOf } from '@/entities/stripes/MemberOf'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { formatBytes } from '@/lib/format'
import { EmptyState } from '@/ui/EmptyState'
import { Bytes } from '@/ui/Quantity'
import classes from './LogicalTree.module.css'

/** Drive groups, and in each its virtual drives. */
export function LogicalTree({ inventory }: { inventory: Inventory }) {
  const { t } = useTranslation()
  const unused = inventory.drives.filter((drive) => drive.state === 'unconfigured_good').length
  if (inventory.groups.length === 0) {
    return (
      <EmptyState kind="none-yet" title={t('logical.empty')}>
        {t('logical.emptyText')} {t('logical.unused', { count: unused })}.
      </EmptyState>
    )
  }
  const groups = inventory.groups.toSorted((a, b) => a.path.localeCompare(b.path))
  return (
    <>
      <ul className={classes.tree}>
        {groups.map((group) => (
          <GroupItem key={group.id} group={group} inventory={inventory} />
        ))}
      </ul>
      <p className={classes.rest}>{t('logical.unused', { count: unused })}</p>
    </>
  )
}

function GroupItem({ group, inventory }: { group: DriveGroup; inventory: Inventory }) {
  const { t } = useTranslation()
  const missing = group.members.filter((member) => member.drive_id === null).length
  const spares = inventory.drives.filter((drive) => group.spare_ids.includes(drive.id))
  const controller = inventory.controllers.find((each) => each.id === group.controller_id)
  const vendorName = ({ index }: VirtualDrive) => vendorVirtualDrive(controller, index)
  const own = inventory.virtualDrives.filter((each) => each.drive_group_id === group.id)
  return (
    <li className={classes.group}>
      <div className={classes.line}>
        <Layers size={17} aria-hidden />
        <Link to="/drive-groups/$groupId" params={{ groupId: group.id }} className={classes.name}>
          {t('logical.group', { path: group.path })}
        </Link>
        <span>{word('raidLevel', group.level)}</span>
        <VirtualDriveStatus state={group.state} />
      </div>
      <p className={classes.detail}>
        {[
          t('logical.members', { count: group.members.length }),
          missing > 0 ? t('logical.missing', { count: missing }) : undefined,
          t('logical.free', { size: formatBytes(group.free_bytes) }),
          spares.length > 0
            ? t('logical.spares', { list: spares.map((drive) => drive.path).join(', ') })
            : t('logical.noSpares'),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <ul className={classes.children}>
        {own.map((virtualDrive) => (
          <li key={virtualDrive.id} className={classes.line}>
            <HardDrive size={16} aria-hidden />
            <Link
              to="/virtual-drives/$virtualDriveId"
              params={{ virtualDriveId: virtualDrive.id }}
              className={classes.name}
            >
              {virtualDrive.name || virtualDrive.path}
            </Link>
            {vendorName(virtualDrive) && <span>{vendorName(virtualDrive)}</span>}
            <Bytes bytes={virtualDrive.size_bytes} />
            <VirtualDriveStatus state={virtualDrive.state} />
            <MemberOf virtualDrive={virtualDrive} />
          </li>
        ))}
      </ul>
    </li>
  )
}
