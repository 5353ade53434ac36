import '@/locales/later/storage-lists'
import { Link } from '@tanstack/react-router'
import { groupListQuery, type ListedGroup } from '@/api/storage-lists'
import { word } from '@/entities/states/words'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'
import { hostColumn, sizeColumn } from './columns'
import { StorageList } from './StorageList'
import { type ListSearch, type ListSearchChange, readListSearch } from './search'
import { ARRAY_SHOWS, ARRAY_STATES, type ArrayShow } from './states'
import { useList } from './use-list'

export const readGroupsSearch = readListSearch({
  shows: ARRAY_SHOWS,
  sorts: ['host', 'state', 'level', 'size'],
})

function columns(): Column<ListedGroup>[] {
  return [
    {
      id: 'group',
      header: i18n.t('storageList.columns.group'),
      isRowHeader: true,
      cell: (group) => (
        <Link to="/drive-groups/$groupId" params={{ groupId: group.id }}>
          {group.path}
        </Link>
      ),
    },
    hostColumn(),
    {
      id: 'state',
      header: i18n.t('storageList.columns.state'),
      sortedByServer: 'smallest-first',
      cell: (group) => <VirtualDriveStatus state={group.state} />,
    },
    {
      id: 'level',
      header: i18n.t('storageList.columns.level'),
      sortedByServer: 'smallest-first',
      cell: (group) => word('raidLevel', group.level),
    },
    sizeColumn(),
    {
      id: 'free',
      header: i18n.t('storageList.columns.free'),
      align: 'end',
      cell: (group) => <Bytes bytes={group.free_bytes} />,
    },
  ]
}

interface GroupsPageProps {
  search: ListSearch<ArrayShow>
  onSearchChange: ListSearchChange<ArrayShow>
}

export function GroupsPage({ search, onSearchChange }: GroupsPageProps) {
  const query = useList(groupListQuery, search, ARRAY_STATES)
  return (
    <StorageList
      kind="groups"
      shows={ARRAY_SHOWS.map((value) => ({ value, label: i18n.t(`storageList.show.${value}`) }))}
      {...{ columns: columns(), query, search, onSearchChange }}
    />
  )
}
