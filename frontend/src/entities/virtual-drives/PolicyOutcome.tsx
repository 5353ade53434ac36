import { useTranslation } from 'react-i18next'
import type { PoliciesPreview, Reason } from '@/api/types'
import { Reasons } from '@/entities/states/Reasons'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { DataTable } from '@/ui/DataTable'
import { type PolicyRow, policyColumns } from './policy-columns'

function rowsOf(policies: PoliciesPreview): PolicyRow[] {
  const row = (
    id: string,
    name: string,
    { requested, effective, reason }: NonNullable<PoliciesPreview[keyof PoliciesPreview]>,
  ): PolicyRow => ({ id, name, requested, effective, why: reasonText(reason) })
  return [
    row('write', i18n.t('vd.write'), policies.write_policy),
    row('read', i18n.t('vd.read'), policies.read_policy),
    row('io', i18n.t('vd.io'), policies.io_policy),
    row('driveCache', i18n.t('vd.driveCache'), policies.drive_cache_policy),
    ...(policies.degraded_policy
      ? [row('degraded', i18n.t('vd.degraded'), policies.degraded_policy)]
      : []),
  ]
}

interface PolicyOutcomeProps {
  policies: PoliciesPreview
  refusals?: Reason[]
  risks: Reason[]
}

/** The host's own answer: what would be asked for, what would hold, why, and what is given up. */
export function PolicyOutcome({ policies, refusals = [], risks }: PolicyOutcomeProps) {
  const { t } = useTranslation()
  return (
    <>
      <DataTable
        label={t('policy.outcome')}
        columns={policyColumns()}
        rows={rowsOf(policies)}
        rowId={(row) => row.id}
      />
      <Reasons tone="crit" title={t('policy.refusals')} reasons={refusals} />
      <Reasons tone="warn" title={t('policy.presetRisks')} reasons={risks} />
    </>
  )
}
