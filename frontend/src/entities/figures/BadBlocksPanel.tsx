import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { badBlocksQuery, type Measured } from '@/api/figures'
import type { BadBlocks } from '@/api/types'
import { formatCount } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { Timestamp } from '@/ui/Quantity'

type Row = BadBlocks['blocks'][number]

function columns(): Column<Row>[] {
  return [
    {
      id: 'lba',
      header: i18n.t('badBlocks.columns.lba'),
      isRowHeader: true,
      cell: (row) => formatCount(row.lba),
    },
    {
      id: 'count',
      header: i18n.t('badBlocks.columns.count'),
      cell: (row) => formatCount(row.count),
    },
    {
      id: 'found',
      header: i18n.t('badBlocks.columns.found'),
      cell: (row) => (row.found_at ? <Timestamp time={row.found_at} /> : '–'),
    },
  ]
}

/** Only where there are any: the count comes with the object, the list is asked for. */
export function BadBlocksPanel({ kind, id }: { kind: Measured; id: string }) {
  const { t } = useTranslation()
  const table = useQuery(badBlocksQuery(kind, id))
  return (
    <Panel title={t('badBlocks.title')}>
      <p>{t('badBlocks.intro')}</p>
      <Loaded query={table} rows={2}>
        {(data) => (
          <>
            <DataTable
              label={t('badBlocks.title')}
              columns={columns()}
              rows={data.blocks}
              rowId={(row) => String(row.lba)}
            />
            {data.more && (
              <p>{t('badBlocks.more', { shown: data.blocks.length, total: data.total })}</p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}
