import '@/locales/later/storage-lists'
import { Link } from '@tanstack/react-router'
import { type ListedVirtualDrive, virtualDriveListQuery } from '@/api/storage-lists'
import { word } from '@/entities/states/words'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { hostColumn, sizeColumn } from './columns'
import { StorageList } from './StorageList'
import { type ListSearch, type ListSearchChange, readListSearch } from './search'
import { ARRAY_SHOWS, ARRAY_STATES, type ArrayShow } from './states'
import { useList } from './use-list'

export const readVirtualDrivesSearch = readListSearch({
  shows: ARRAY_SHOWS,
  sorts: ['host', 'name', 'state', 'level', 'size', 'drive_failures_left'],
})

function columns(): Column<ListedVirtualDrive>[] {
  return [
    {
      id: 'name',
      header: i18n.t('storageList.columns.virtualDrive'),
      isRowHeader: true,
      sortedByServer: 'smallest-first',
      cell: (each) => (
        <Link to="/virtual-drives/$virtualDriveId" params={{ virtualDriveId: each.id }}>
          {each.name || each.path}
        </Link>
      ),
    },
    hostColumn(),
    {
      id: 'state',
      header: i18n.t('storageList.columns.state'),
      sortedByServer: 'smallest-first',
      cell: (each) => <VirtualDriveStatus state={each.state} />,
    },
    {
      id: 'drive_failures_left',
      header: i18n.t('storageList.columns.failuresLeft'),
      align: 'end',
      sortedByServer: 'smallest-first',
      cell: (each) => (each.level === 'raid0' ? '–' : each.drive_failures_left),
    },
    {
      id: 'level',
      header: i18n.t('storageList.columns.level'),
      sortedByServer: 'smallest-first',
      cell: (each) => word('raidLevel', each.level),
    },
    sizeColumn(),
    {
      id: 'write',
      header: i18n.t('storageList.columns.write'),
      wideOnly: true,
      cell: (each) => word('policyWord', each.write_policy.effective),
    },
  ]
}

interface VirtualDrivesPageProps {
  search: ListSearch<ArrayShow>
  onSearchChange: ListSearchChange<ArrayShow>
}

export function VirtualDrivesPage({ search, onSearchChange }: VirtualDrivesPageProps) {
  const query = useList(virtualDriveListQuery, search, ARRAY_STATES)
  return (
    <StorageList
      kind="virtualDrives"
      shows={ARRAY_SHOWS.map((value) => ({ value, label: i18n.t(`storageList.show.${value}`) }))}
      {...{ columns: columns(), query, search, onSearchChange }}
    />
  )
}
