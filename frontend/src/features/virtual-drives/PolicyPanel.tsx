import { useTranslation } from 'react-i18next'
import type { Reason, VirtualDrive } from '@/api/types'
import { word } from '@/entities/states/words'
import { type PolicyRow, policyColumns } from '@/entities/virtual-drives/policy-columns'
import classes from '@/entities/virtual-drives/VirtualDrivePage.module.css'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { DataTable } from '@/ui/DataTable'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'

/** Read-ahead may be wanted and yet rest: it says what it does now. */
function readWhy({ read_policy, read_ahead }: VirtualDrive): string {
  const why = reasonText(read_policy.reason)
  return read_ahead ? `${why} ${word('readAheadState', read_ahead.state)}` : why
}

/** What is not offered without redundancy. */
function switchRow(
  id: string,
  name: string,
  asked: boolean | null,
  state: PolicyState,
): PolicyRow[] {
  return asked === null ? [] : [stateRow(id, name, asked ? 'on' : 'off', state)]
}

/** An agent of an earlier version knows on and off only. */
function stripeLogRow(virtualDrive: VirtualDrive) {
  const { stripe_log_mode: mode, stripe_log: on, effective_stripe_log: state } = virtualDrive
  return mode
    ? [stateRow('stripeLog', i18n.t('policy.stripeLog'), mode, state)]
    : switchRow('stripeLog', i18n.t('policy.stripeLog'), on, state)
}

/** An agent of an earlier version knows no such choice. */
function degradedRow({ degraded_policy: asked, effective_degraded_policy: state }: VirtualDrive) {
  return asked ? [stateRow('degraded', i18n.t('vd.degraded'), asked, state)] : []
}

/** An agent of an earlier version says what is asked for, and not what holds. */
function stateRow(id: string, name: string, asked: string, state: PolicyState): PolicyRow {
  return state
    ? { id, name, ...state, why: reasonText(state.reason) }
    : { id, name, requested: asked, effective: 'unknown', why: i18n.t('policy.silent') }
}

type PolicyState = { requested: string; effective: string; reason: Reason } | null | undefined

function policyRows(virtualDrive: VirtualDrive): PolicyRow[] {
  const { write_policy: write, read_policy: read } = virtualDrive
  return [
    { id: 'write', name: i18n.t('vd.write'), ...write, why: reasonText(write.reason) },
    { id: 'read', name: i18n.t('vd.read'), ...read, why: readWhy(virtualDrive) },
    stateRow('io', i18n.t('vd.io'), virtualDrive.io_policy, virtualDrive.effective_io_policy),
    stateRow(
      'driveCache',
      i18n.t('vd.driveCache'),
      virtualDrive.drive_cache_policy,
      virtualDrive.effective_drive_cache,
    ),
    ...degradedRow(virtualDrive),
    stateRow('access', i18n.t('vd.access'), virtualDrive.access, virtualDrive.effective_access),
    ...stripeLogRow(virtualDrive),
    ...switchRow(
      'hedgedReads',
      i18n.t('policy.hedgedReads'),
      virtualDrive.hedged_reads,
      virtualDrive.effective_hedged_reads,
    ),
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
        {virtualDrive.preset && (
          <p className={classes.preset}>
            {t('policy.preset')}: {word('presetName', virtualDrive.preset)}
          </p>
        )}
        <Notice tone="info" title={t('vd.guarantee')}>
          <p>{reasonText(virtualDrive.guarantee)}</p>
        </Notice>
      </div>
    </Panel>
  )
}
