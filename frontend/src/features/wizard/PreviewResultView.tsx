import { useTranslation } from 'react-i18next'
import type { Drive, PoliciesPreview, PreviewResult } from '@/api/types'
import { Reasons } from '@/entities/states/Reasons'
import { word } from '@/entities/states/words'
import { PolicyOutcome } from '@/entities/virtual-drives/PolicyOutcome'
import { formatBytes, formatDuration, formatStrip } from '@/lib/format'
import { sentence } from '@/lib/told'
import classes from '@/ui/Choosing.module.css'
import { Facts } from '@/ui/Facts'
import { Bytes } from '@/ui/Quantity'

interface PreviewResultViewProps {
  result: PreviewResult
  drives: Drive[]
  isCurrent: boolean
  /** Also where all policies would hold as they are asked for. */
  withPolicies: boolean
}

const differ = (policies: PoliciesPreview) =>
  Object.values(policies).some(
    (state) => state && state.requested !== 'default' && state.requested !== state.effective,
  )

/** The host's answer in sentences: what you get, what may fail, what is wasted, what is wrong. */
export function PreviewResultView(props: PreviewResultViewProps) {
  const { result, drives, isCurrent, withPolicies } = props
  const { t } = useTranslation()
  return (
    <div aria-busy={!isCurrent}>
      {result.size_bytes > 0 && (
        <>
          <p className={classes.big}>
            <Bytes bytes={result.size_bytes} /> {t('wizard.usable')}{' '}
            <small>{t('wizard.ofRaw', { raw: formatBytes(result.raw_bytes) })}</small>
          </p>
          <Facts
            facts={[
              { label: t('vd.level'), value: word('raidLevel', result.level) },
              { label: t('wizard.tolerance'), value: sentence(result.tolerance) },
              { label: t('wizard.wasted'), value: <Wasted result={result} drives={drives} /> },
              {
                label: t('wizard.layout'),
                value: t('wizard.layoutValue', {
                  spans: result.span_count,
                  drives: result.drives_per_span,
                  strip: formatStrip(result.strip_bytes),
                  block: result.block_bytes,
                }),
              },
              {
                label: t('wizard.init'),
                value:
                  result.init_seconds === null
                    ? t('wizard.initUnknown')
                    : t('wizard.initValue', { time: formatDuration(result.init_seconds) }),
              },
            ]}
          />
        </>
      )}
      {result.policies && (withPolicies || differ(result.policies)) && (
        <PolicyOutcome policies={result.policies} risks={[]} />
      )}
      <div className={classes.reasons}>
        <Reasons tone="crit" title={t('wizard.refusals')} reasons={result.refusals} live />
        <Reasons tone="warn" title={t('wizard.warnings')} reasons={result.warnings} live />
      </div>
    </div>
  )
}

function Wasted({ result, drives }: { result: PreviewResult; drives: Drive[] }) {
  const { t } = useTranslation()
  if (result.wasted_bytes === 0) return <>{t('wizard.wastedNone')}</>
  return (
    <>
      {t('wizard.wastedTotal', { size: formatBytes(result.wasted_bytes) })}
      <ul className={classes.wasted}>
        {result.wasted.map(({ drive_id, bytes }) => (
          <li key={drive_id}>
            {t('wizard.wastedOn', {
              size: formatBytes(bytes),
              path: drives.find((drive) => drive.id === drive_id)?.path ?? drive_id,
            })}
          </li>
        ))}
      </ul>
    </>
  )
}
