import { useTranslation } from 'react-i18next'
import type { CheckResult } from '@/api/types'
import { word } from '@/entities/states/words'
import { Facts } from '@/ui/Facts'
import { Panel } from '@/ui/Panel'
import { Bytes, Timestamp } from '@/ui/Quantity'

/** The last consistency check, or the one that runs, and the first places that it has found. */
export function CheckPanel({ result, block }: { result: CheckResult; block: number }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('vd.checkTitle')}>
      <Facts
        facts={[
          { label: t('vd.checkState'), value: word('operationState', result.state) },
          { label: t('vd.checkBegan'), value: <Timestamp time={result.started_at} /> },
          ...(result.ended_at
            ? [{ label: t('vd.checkEnded'), value: <Timestamp time={result.ended_at} /> }]
            : []),
          { label: t('vd.checkCompared'), value: <Bytes bytes={result.compared_bytes} /> },
          { label: t('vd.checkLeftOut'), value: <Bytes bytes={result.left_out_bytes} /> },
          { label: t('vd.checkUnreadable'), value: <Bytes bytes={result.unreadable_bytes} /> },
          { label: t('vd.checkCorrected'), value: result.corrected_count },
          { label: t('vd.checkInconsistent'), value: result.inconsistent_count },
          ...(result.earlier_inconsistent_count
            ? [{ label: t('vd.checkEarlier'), value: result.earlier_inconsistent_count }]
            : []),
        ]}
      />
      {result.places.length > 0 && (
        <ul>
          {result.places.map((place) => (
            <li key={`${place.strip}-${place.offset_bytes}-${place.member}-${place.earlier}`}>
              {place.piece_count === 0
                ? t('vd.checkPlaceParity', { strip: place.strip })
                : t('vd.checkPlace', {
                    strip: place.strip,
                    first: place.offset_bytes / block,
                    last: (place.offset_bytes + place.piece_bytes) / block - 1,
                    count: place.piece_count,
                  })}{' '}
              {place.corrected ? t('vd.checkPlaceCorrected') : t('vd.checkPlaceLeft')}
              {place.earlier && ` ${t('vd.checkPlaceEarlier')}`}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
