import { Link } from '@tanstack/react-router'
import type { ForeignConfiguration } from '@/api/types'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import type { Column } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'
import type { Place } from './sets'

type Volume = ForeignConfiguration['virtual_drives'][number]

export function volumeColumns(): Column<Volume>[] {
  return [
    {
      id: 'name',
      header: i18n.t('foreign.columns.name'),
      isRowHeader: true,
      cell: ({ name }) => name,
    },
    { id: 'level', header: i18n.t('foreign.columns.level'), cell: ({ level }) => level },
    {
      id: 'size',
      header: i18n.t('foreign.columns.size'),
      align: 'end',
      cell: ({ size_bytes }) => (size_bytes > 0 ? <Bytes bytes={size_bytes} /> : '–'),
    },
    {
      id: 'state',
      header: i18n.t('foreign.columns.state'),
      cell: ({ state, consistent }) =>
        consistent || !(state === 'optimal' || state === 'degraded')
          ? word('foreignState', state)
          : i18n.t('foreign.outOfStep', { state: word('foreignState', state) }),
    },
    {
      id: 'outcome',
      header: i18n.t('foreign.columns.outcome'),
      cell: ({ outcome }) => (outcome ? word('foreignOutcome', outcome) : '–'),
    },
    {
      id: 'importedAs',
      header: i18n.t('foreign.columns.importedAs'),
      cell: ({ imported_as }) => imported_as ?? '–',
    },
    {
      id: 'why',
      header: i18n.t('foreign.columns.why'),
      grow: true,
      cell: ({ reason }) => (reason ? reasonText(reason) : '–'),
    },
  ]
}

export function placeColumns(): Column<Place>[] {
  return [
    {
      id: 'drive',
      header: i18n.t('foreign.columns.drive'),
      isRowHeader: true,
      cell: ({ driveId, drive }) =>
        driveId === null ? (
          i18n.t('foreign.missing')
        ) : (
          <Link to="/drives/$driveId" params={{ driveId }}>
            {drive?.path ?? driveId.slice(0, 8)}
          </Link>
        ),
    },
    {
      id: 'serial',
      header: i18n.t('foreign.columns.serial'),
      cell: ({ serial }) => (serial ? <code>{serial}</code> : '–'),
    },
    {
      id: 'says',
      header: i18n.t('foreign.columns.says'),
      cell: ({ state }) => word('foreignMemberState', state),
    },
    {
      id: 'outcome',
      header: i18n.t('foreign.columns.driveOutcome'),
      grow: true,
      cell: ({ outcome }) => (outcome ? word('foreignDriveOutcome', outcome) : '–'),
    },
  ]
}
