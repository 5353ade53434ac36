import { useTranslation } from 'react-i18next'
import type { PredictedArray } from '@/api/types'
import { formatDuration } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { sentence } from '@/lib/told'
import { type Column, DataTable } from '@/ui/DataTable'
import { Panel } from '@/ui/Panel'
import { Bytes } from '@/ui/Quantity'
import { arrayLabel } from './figures'

const share = (survived: number | undefined, all: number | undefined) =>
  survived === undefined || !all ? '–' : `${survived} / ${all}`

function columns(arrays: PredictedArray[]): Column<PredictedArray>[] {
  const anyRefused = arrays.some(({ refused }) => refused !== null)
  const refused: Column<PredictedArray> = {
    id: 'refused',
    header: i18n.t('lab.columns.refused'),
    cell: (array) => (array.refused ? sentence(array.refused) : '–'),
  }
  return [
    {
      id: 'array',
      header: i18n.t('lab.columns.array'),
      isRowHeader: true,
      // Beside a sentence it takes no more than its share.
      grow: !anyRefused,
      cell: (array) => arrayLabel(array, arrays),
    },
    {
      id: 'size',
      header: i18n.t('lab.columns.size'),
      align: 'end',
      cell: (array) => (array.size_bytes > 0 ? <Bytes bytes={array.size_bytes} /> : '–'),
    },
    {
      id: 'rebuild',
      header: i18n.t('lab.columns.rebuild'),
      align: 'end',
      cell: ({ rebuild }) => (rebuild ? formatDuration(rebuild.seconds) : '–'),
    },
    {
      id: 'singles',
      header: i18n.t('lab.columns.singles'),
      align: 'end',
      cell: ({ survival }) => share(survival?.singles_survived, survival?.singles),
    },
    {
      id: 'pairs',
      header: i18n.t('lab.columns.pairs'),
      align: 'end',
      cell: ({ survival }) => share(survival?.pairs_survived, survival?.pairs),
    },
    ...(anyRefused ? [refused] : []),
  ]
}

/** What each array is, and why some cannot be. */
export function ArraysPanel({ arrays }: { arrays: PredictedArray[] }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('lab.arrays')} flush>
      <DataTable
        label={t('lab.arraysTable')}
        columns={columns(arrays)}
        rows={arrays}
        rowId={(array) => arrayLabel(array, arrays)}
      />
    </Panel>
  )
}
