import { useTranslation } from 'react-i18next'
import type { VirtualDrive } from '@/api/types'
import { reasonText, word } from '@/features/states/words'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import classes from './VirtualDrivePage.module.css'

interface PolicyRow {
  id: string
  name: string
  requested: string
  effective: string
  why: string
}

/** Read-ahead may be wanted and yet rest: it says what it does now. */
function readWhy({ read_policy, read_ahead }: VirtualDrive): string {
  const why = reasonText(read_policy.reason)
  return read_ahead ? `${why} ${word('readAheadState', read_ahead.state)}` : why
}

/** What is not offered without redundancy. */
function switchRow(id: string, name: string, on: boolean | null): PolicyRow[] {
  if (on === null) return []
  const value = on ? 'on' : 'off'
  return [{ id, name, requested: value, effective: value, why: '–' }]
}

function policyRows(virtualDrive: VirtualDrive): PolicyRow[] {
  const { write_policy: write, read_policy: read } = virtualDrive
  const simple = (id: string, name: string, value: string): PolicyRow => ({
    id,
    name,
    requested: value,
    effective: value,
    why: '–',
  })
  return [
    { id: 'write', name: i18n.t('vd.write'), ...write, why: reasonText(write.reason) },
    { id: 'read', name: i18n.t('vd.read'), ...read, why: readWhy(virtualDrive) },
    simple('io', i18n.t('vd.io'), virtualDrive.io_policy),
    simple('driveCache', i18n.t('vd.driveCache'), virtualDrive.drive_cache_policy),
    simple('access', i18n.t('vd.access'), virtualDrive.access),
    ...switchRow('stripeLog', i18n.t('policy.stripeLog'), virtualDrive.stripe_log),
    ...switchRow('hedgedReads', i18n.t('policy.hedgedReads'), virtualDrive.hedged_reads),
  ]
}

function policyColumns(): Column<PolicyRow>[] {
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
        row.requested === row.effective ? (
          word('policyWord', row.effective)
        ) : (
          <Status tone="warn">{word('policyWord', row.effective)}</Status>
        ),
    },
    { id: 'why', header: i18n.t('vd.why'), cell: (row) => row.why },
  ]
}

/** What was asked for, what holds, and why they differ; and the promise that follows from it. */
export function PolicyPanel({ virtualDrive }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('vd.policies')} flush>
      <DataTable
        label={t('vd.policies')}
        columns={policyColumns()}
        rows={policyRows(virtualDrive)}
        rowId={(row) => row.id}
      />
      <div className={classes.guarantee}>
        <Notice tone="info" title={t('vd.guarantee')}>
          <p>{reasonText(virtualDrive.guarantee)}</p>
        </Notice>
      </div>
    </Panel>
  )
}
