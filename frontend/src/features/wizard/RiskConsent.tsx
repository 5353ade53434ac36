import { Checkbox } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Reason } from '@/api/types'
import { word } from '@/entities/states/words'
import { asksConsent, riskKey, type Wish } from '@/entities/wishes/wish'
import { reasonText } from '@/lib/told'
import { Notice } from '@/ui/Notice'

interface RiskConsentProps {
  wish: Wish
  risks: Reason[]
  onChange: (part: Partial<Wish>) => void
}

/** What a preset gives up, and the tick without which nothing is created. */
export function RiskConsent({ wish, risks, onChange }: RiskConsentProps) {
  const { t } = useTranslation()
  if (!asksConsent(wish, risks) || wish.preset === null) return null
  return (
    <Notice tone="warn" title={t('policy.presetRisks')} live>
      <ul>
        {risks.map((risk) => (
          <li key={risk.code}>{reasonText(risk)}</li>
        ))}
      </ul>
      <Checkbox
        mt="xs"
        label={t('policy.presetRiskAccept', { preset: word('presetName', wish.preset.name) })}
        checked={wish.acceptedRisks === riskKey(risks)}
        onChange={(event) =>
          onChange({ acceptedRisks: event.currentTarget.checked ? riskKey(risks) : '' })
        }
      />
    </Notice>
  )
}
