import '@/locales/later/storage-lists'
import { Link } from '@tanstack/react-router'
import { driveListQuery, type ListedDrive } from '@/api/storage-lists'
import type { DriveState } from '@/api/types'
import { DriveStatus } from '@/entities/drives/DriveStatus'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { hostColumn, sizeColumn, temperatureColumn, textColumn } from './columns'
import { StorageList } from './StorageList'
import { type ListSearch, type ListSearchChange, readListSearch } from './search'
import { useList } from './use-list'

const SHOWS = ['failed', 'rebuilding', 'free', 'spares'] as const
type Show = (typeof SHOWS)[number]

const STATES: Record<Show, DriveState[]> = {
  failed: ['failed', 'missing', 'offline', 'unconfigured_bad'],
  rebuilding: ['rebuild', 'copyback'],
  free: ['unconfigured_good'],
  spares: ['hot_spare', 'dedicated_hot_spare'],
}

export const readDrivesSearch = readListSearch({
  shows: SHOWS,
  sorts: ['host', 'state', 'size', 'model', 'serial'],
})

function columns(): Column<ListedDrive>[] {
  return [
    {
      id: 'drive',
      header: i18n.t('storageList.columns.drive'),
      isRowHeader: true,
      cell: (drive) => (
        <Link to="/drives/$driveId" params={{ driveId: drive.id }}>
          {drive.path}
        </Link>
      ),
    },
    hostColumn(),
    {
      id: 'state',
      header: i18n.t('storageList.columns.state'),
      sortedByServer: 'smallest-first',
      cell: (drive) => <DriveStatus state={drive.state} />,
    },
    sizeColumn(),
    textColumn('model'),
    textColumn('serial'),
    temperatureColumn(),
  ]
}

interface DrivesPageProps {
  search: ListSearch<Show>
  onSearchChange: ListSearchChange<Show>
}

export function DrivesPage({ search, onSearchChange }: DrivesPageProps) {
  const query = useList(driveListQuery, search, STATES)
  return (
    <StorageList
      kind="drives"
      shows={SHOWS.map((value) => ({ value, label: i18n.t(`storageList.show.${value}`) }))}
      {...{ columns: columns(), query, search, onSearchChange }}
    />
  )
}
