import { useTranslation } from 'react-i18next'
import type { Drive, Enclosure, Host } from '@/api/types'
import type { Coloring } from '@/entities/chassis/Chassis'
import { Legend } from '@/entities/chassis/Legend'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { DriveTable } from '@/features/drives/DriveTable'
import { bayName, COLORINGS, type HostSearch } from '@/features/hosts/search'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { Panel } from '@/ui/Panel'
import { BayPanel } from './BayPanel'
import classes from './BaysPanel.module.css'
import { EnclosureView } from './EnclosureView'

interface BaysPanelProps {
  host: Host
  inventory: Inventory
  search: HostSearch
  onSearchChange: (change: { [Key in keyof HostSearch]: HostSearch[Key] | undefined }) => void
}

interface OpenBay {
  enclosure: Enclosure
  slot: number
  drive: Drive | undefined
}

function findOpenBay(inventory: Inventory, bay: string | undefined): OpenBay | undefined {
  if (bay === undefined) return undefined
  for (const enclosure of inventory.enclosures) {
    for (let slot = 0; slot < enclosure.slot_count; slot += 1) {
      if (bayName(enclosure.path, slot) !== bay) continue
      const drive = inventory.drives.find(
        (each) => each.enclosure_id === enclosure.id && each.slot === slot,
      )
      return { enclosure, slot, drive }
    }
  }
  return undefined
}

export function BaysPanel({ host, inventory, search, onSearchChange }: BaysPanelProps) {
  const { t } = useTranslation()
  const coloring: Coloring = search.color ?? 'state'
  const open = findOpenBay(inventory, search.bay)
  const loose = inventory.drives.filter((each) => each.enclosure_id === null)
  const close = () => onSearchChange({ bay: undefined })

  if (inventory.drives.length === 0 && inventory.enclosures.length === 0) {
    return (
      <Panel title={t('host.bays')}>
        <EmptyState kind="none-yet" title={t('host.noDrivesTitle')}>
          {t('host.noDrivesText')}
        </EmptyState>
      </Panel>
    )
  }

  return (
    <>
      {inventory.enclosures.length > 0 && (
        <Panel
          title={t('host.bays')}
          aside={
            <FilterPills
              label={t('chassis.coloring')}
              value={coloring}
              options={COLORINGS.map((value) => ({
                value,
                label: t(`chassis.color.${value}`),
              }))}
              onChange={(value) => onSearchChange({ color: value === 'state' ? undefined : value })}
            />
          }
        >
          <div className={classes.layout}>
            <div className={classes.chassis}>
              {inventory.enclosures.map((enclosure) => (
                <EnclosureView
                  key={enclosure.id}
                  enclosure={enclosure}
                  inventory={inventory}
                  coloring={coloring}
                  openSlot={open?.enclosure.id === enclosure.id ? open.slot : undefined}
                  isOffline={!host.online}
                  onToggle={(slot) => {
                    const bay = bayName(enclosure.path, slot)
                    onSearchChange({ bay: bay === search.bay ? undefined : bay })
                  }}
                  onClose={close}
                />
              ))}
              <Legend coloring={coloring} drives={inventory.drives} />
            </div>
            {open && (
              <BayPanel
                // Another drive in the bay is another panel: no dialog may survive the exchange.
                key={open.drive?.id ?? open.slot}
                slot={open.slot}
                drive={open.drive}
                inventory={inventory}
                onClose={close}
              />
            )}
          </div>
        </Panel>
      )}
      {loose.length > 0 && (
        <Panel title={t('chassis.loose')} flush>
          <DriveTable label={t('chassis.loose')} drives={loose} groups={inventory.groups} />
        </Panel>
      )}
    </>
  )
}
