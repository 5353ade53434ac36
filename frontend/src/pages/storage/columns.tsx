import { Link } from '@tanstack/react-router'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'

/** Columns that several lists have. Their ids are the server's words for what it sorts by. */
export function hostColumn<Row extends { host_id: string; host_name: string }>(): Column<Row> {
  return {
    id: 'host',
    header: i18n.t('storageList.columns.host'),
    sortedByServer: 'smallest-first',
    cell: (row) => (
      <Link to="/hosts/$hostId" params={{ hostId: row.host_id }}>
        {row.host_name}
      </Link>
    ),
  }
}

export function sizeColumn<Row extends { size_bytes: number }>(): Column<Row> {
  return {
    id: 'size',
    header: i18n.t('storageList.columns.size'),
    align: 'end',
    sortedByServer: 'largest-first',
    cell: (row) => <Bytes bytes={row.size_bytes} />,
  }
}

export function textColumn<Row extends Record<Id, string>, Id extends 'model' | 'serial'>(
  id: Id,
): Column<Row> {
  return {
    id,
    header: i18n.t(`storageList.columns.${id}`),
    sortedByServer: 'smallest-first',
    wideOnly: id === 'model',
    cell: (row) => (id === 'serial' ? <code>{row[id]}</code> : row[id] || '–'),
  }
}

export function temperatureColumn<Row extends { temperature_c: number | null }>(): Column<Row> {
  return {
    id: 'temperature',
    header: i18n.t('storageList.columns.temperature'),
    align: 'end',
    wideOnly: true,
    cell: ({ temperature_c: celsius }) =>
      celsius === null ? '–' : i18n.t('storageList.celsius', { celsius }),
  }
}
