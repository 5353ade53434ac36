import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { Status } from '@/ui/Status'

export interface PolicyRow {
  id: string
  name: string
  requested: string
  effective: string
  why: string
}

/** Left to the drives, any state of theirs is what was asked for. */
const differs = (row: PolicyRow) => row.requested !== 'default' && row.requested !== row.effective

export function policyColumns(): Column<PolicyRow>[] {
  return [
    {
      id: 'policy',
      header: i18n.t('vd.policy'),
      isRowHeader: true,
      cell: (row) => row.name,
    },
    {
      id: 'requested',
      header: i18n.t('vd.requested'),
      cell: (row) => word('policyWord', row.requested),
    },
    {
      id: 'effective',
      header: i18n.t('vd.effective'),
      cell: (row) =>
        differs(row) ? (
          <Status tone="warn">{word('policyWord', row.effective)}</Status>
        ) : (
          word('policyWord', row.effective)
        ),
    },
    { id: 'why', header: i18n.t('vd.why'), cell: (row) => row.why },
  ]
}
