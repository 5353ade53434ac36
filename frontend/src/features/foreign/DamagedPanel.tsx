import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Drive, ForeignConfigurations } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { type Column, DataTable } from '@/ui/DataTable'
import { Panel } from '@/ui/Panel'

type Damaged = ForeignConfigurations['damaged'][number]

function columns(drives: Drive[]): Column<Damaged>[] {
  const pathOf = (id: string) => drives.find((drive) => drive.id === id)?.path
  return [
    {
      id: 'drive',
      header: i18n.t('foreign.columns.drive'),
      isRowHeader: true,
      cell: ({ drive_id }) => (
        <Link to="/drives/$driveId" params={{ driveId: drive_id }}>
          {pathOf(drive_id) ?? drive_id.slice(0, 8)}
        </Link>
      ),
    },
    {
      id: 'why',
      header: i18n.t('foreign.columns.why'),
      grow: true,
      cell: ({ reason }) => reasonText(reason),
    },
  ]
}

export function DamagedPanel({ damaged, drives }: { damaged: Damaged[]; drives: Drive[] }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('foreign.damaged')}>
      <p>{t('foreign.damagedText')}</p>
      <DataTable
        label={t('foreign.damaged')}
        columns={columns(drives)}
        rows={damaged}
        rowId={({ drive_id }) => drive_id}
      />
    </Panel>
  )
}
