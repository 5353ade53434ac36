import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Drive, DriveGroup } from '@/api/types'
import { DriveStatus } from '@/entities/drives/DriveStatus'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'

interface DriveTableProps {
  label: string
  drives: Drive[]
  groups: DriveGroup[]
}

function columns(groups: DriveGroup[]): Column<Drive>[] {
  return [
    {
      id: 'path',
      header: i18n.t('drive.columns.path'),
      isRowHeader: true,
      sortValue: (drive) => drive.path,
      cell: (drive) => (
        <Link to="/drives/$driveId" params={{ driveId: drive.id }}>
          {drive.path}
        </Link>
      ),
    },
    {
      id: 'state',
      header: i18n.t('drive.columns.state'),
      sortValue: (drive) => drive.state,
      cell: (drive) => <DriveStatus state={drive.state} />,
    },
    {
      id: 'size',
      header: i18n.t('drive.columns.size'),
      align: 'end',
      sortValue: (drive) => drive.size_bytes,
      cell: (drive) => <Bytes bytes={drive.size_bytes} />,
    },
    {
      id: 'kind',
      header: i18n.t('drive.columns.kind'),
      sortValue: (drive) => drive.media,
      cell: (drive) => word('media', drive.media),
    },
    {
      id: 'device',
      header: i18n.t('drive.columns.device'),
      sortValue: (drive) => drive.device,
      cell: (drive) => <code>{drive.device}</code>,
    },
    {
      id: 'serial',
      header: i18n.t('drive.columns.serial'),
      sortValue: (drive) => drive.serial,
      cell: (drive) => <code>{drive.serial}</code>,
    },
    {
      id: 'group',
      header: i18n.t('drive.columns.group'),
      cell: (drive) => groups.find(({ id }) => id === drive.drive_group_id)?.path ?? '–',
    },
  ]
}

export function DriveTable({ label, drives, groups }: DriveTableProps) {
  const [sort, setSort] = useState<string | undefined>('path')
  return (
    <DataTable
      label={label}
      columns={columns(groups)}
      rows={drives}
      rowId={(drive) => drive.id}
      sort={sort}
      onSortChange={setSort}
    />
  )
}
