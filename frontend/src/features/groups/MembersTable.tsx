import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Drive, DriveGroup, Member } from '@/api/types'
import { DriveStatus } from '@/entities/drives/DriveStatus'
import { isReplaceable } from '@/entities/drives/replaceable'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'
import classes from './GroupPage.module.css'

interface MembersTableProps {
  group: DriveGroup
  drives: Drive[]
}

function columns(drives: Drive[]): Column<Member>[] {
  const driveOf = (member: Member) => drives.find((drive) => drive.id === member.drive_id)
  return [
    {
      id: 'place',
      header: i18n.t('group.columns.place'),
      isRowHeader: true,
      cell: ({ span, row }) => i18n.t('group.place', { span, row }),
    },
    {
      id: 'drive',
      header: i18n.t('group.columns.drive'),
      cell: (member) => {
        const drive = driveOf(member)
        if (!drive) return i18n.t('group.missingDrive')
        return (
          <Link to="/drives/$driveId" params={{ driveId: drive.id }}>
            {drive.path}
          </Link>
        )
      },
    },
    {
      id: 'state',
      header: i18n.t('group.columns.state'),
      cell: (member) => (
        <>
          <DriveStatus state={member.state} />
          {member.last_copy && <p className={classes.help}>{i18n.t('group.lastCopy')}</p>}
        </>
      ),
    },
    {
      id: 'serial',
      header: i18n.t('group.columns.serial'),
      cell: (member) =>
        member.drive_id === null ? (
          <span>{i18n.t('group.expected', { serial: member.serial })}</span>
        ) : (
          <code>{member.serial}</code>
        ),
    },
    {
      id: 'size',
      header: i18n.t('group.columns.size'),
      align: 'end',
      cell: (member) => {
        const drive = driveOf(member)
        return drive ? <Bytes bytes={drive.size_bytes} /> : '–'
      },
    },
    {
      id: 'model',
      header: i18n.t('group.columns.model'),
      wideOnly: true,
      cell: (member) => driveOf(member)?.model ?? '–',
    },
  ]
}

export function MembersTable({ group, drives }: MembersTableProps) {
  const { t } = useTranslation()
  const members = group.members.toSorted((a, b) => a.span - b.span || a.row - b.row)
  return (
    <>
      <DataTable
        label={t('group.members')}
        columns={columns(drives)}
        rows={members}
        rowId={({ span, row }) => `${span}/${row}`}
      />
      {members.some(isReplaceable) && <p className={classes.note}>{t('group.replaceHint')}</p>}
    </>
  )
}
