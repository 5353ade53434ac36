import '@/locales/later/storage-lists'
import { Link } from '@tanstack/react-router'
import { batteryListQuery, type ListedBattery } from '@/api/storage-lists'
import type { BatteryState } from '@/api/types'
import { BatteryStatus } from '@/entities/batteries/BatteryStatus'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { hostColumn, temperatureColumn, textColumn } from './columns'
import { StorageList } from './StorageList'
import { type ListSearch, type ListSearchChange, readListSearch } from './search'
import { useList } from './use-list'

const SHOWS = ['failing', 'charging', 'optimal'] as const
type Show = (typeof SHOWS)[number]

const STATES: Record<Show, BatteryState[]> = {
  failing: ['failed', 'missing', 'degraded', 'low', 'unknown'],
  charging: ['charging', 'discharging', 'learning'],
  optimal: ['optimal'],
}

export const readBatteriesSearch = readListSearch({
  shows: SHOWS,
  sorts: ['host', 'state', 'model', 'serial'],
})

function columns(): Column<ListedBattery>[] {
  return [
    {
      id: 'battery',
      header: i18n.t('storageList.columns.battery'),
      isRowHeader: true,
      cell: (battery) => (
        <Link to="/batteries/$batteryId" params={{ batteryId: battery.id }}>
          {battery.path}
        </Link>
      ),
    },
    hostColumn(),
    {
      id: 'state',
      header: i18n.t('storageList.columns.state'),
      sortedByServer: 'smallest-first',
      cell: (battery) => <BatteryStatus state={battery.state} />,
    },
    {
      id: 'charge',
      header: i18n.t('storageList.columns.charge'),
      align: 'end',
      cell: ({ charge_percent: value }) =>
        value === null ? '–' : i18n.t('common.percent', { value }),
    },
    temperatureColumn(),
    textColumn('model'),
    textColumn('serial'),
  ]
}

interface BatteriesPageProps {
  search: ListSearch<Show>
  onSearchChange: ListSearchChange<Show>
}

export function BatteriesPage({ search, onSearchChange }: BatteriesPageProps) {
  const query = useList(batteryListQuery, search, STATES)
  return (
    <StorageList
      kind="batteries"
      shows={SHOWS.map((value) => ({ value, label: i18n.t(`storageList.show.${value}`) }))}
      {...{ columns: columns(), query, search, onSearchChange }}
    />
  )
}
