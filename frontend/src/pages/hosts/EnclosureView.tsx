import { useTranslation } from 'react-i18next'
import type { Enclosure } from '@/api/types'
import { Chassis, type Coloring } from '@/entities/chassis/Chassis'
import { driveFace, emptyFace } from '@/entities/drives/drive-face'
import type { Inventory } from '@/entities/hosts/use-inventory'
import classes from './BaysPanel.module.css'

interface EnclosureViewProps {
  enclosure: Enclosure
  inventory: Inventory
  coloring: Coloring
  openSlot: number | undefined
  isOffline: boolean
  onToggle: (slot: number) => void
  onClose: () => void
}

export function EnclosureView({ enclosure, inventory, openSlot, ...props }: EnclosureViewProps) {
  const { t } = useTranslation()
  const drives = inventory.drives.filter((each) => each.enclosure_id === enclosure.id)
  const context = {
    groups: new Map(inventory.groups.map((group) => [group.id, group])),
    operations: new Map(inventory.operations.map((each) => [each.target_id, each])),
  }
  const open = drives.find((each) => each.slot === openSlot)
  const peers = new Set(
    drives
      .filter(
        (each) =>
          each !== open && open?.drive_group_id && each.drive_group_id === open.drive_group_id,
      )
      .map((each) => each.slot ?? -1),
  )
  return (
    <div>
      <p className={classes.caption}>
        <strong>{enclosure.model}</strong>
        <code>{enclosure.path}</code>
        {enclosure.emulated && <span>{t('chassis.emulated')}</span>}
        {enclosure.hot_swap === false && <span>{t('chassis.coldSwap')}</span>}
        <span>{t('chassis.hint')}</span>
      </p>
      <Chassis
        label={t('chassis.label', { enclosure: `${enclosure.model} ${enclosure.path}` })}
        shape={enclosure}
        faces={new Map(drives.map((each) => [each.slot ?? -1, driveFace(each, context)]))}
        emptyFace={emptyFace}
        coloring={props.coloring}
        selected={new Set(openSlot === undefined ? [] : [openSlot])}
        peers={peers}
        dimmed={props.isOffline}
        onToggle={props.onToggle}
        onEscape={props.onClose}
      />
    </div>
  )
}
