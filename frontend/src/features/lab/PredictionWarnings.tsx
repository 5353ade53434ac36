import { useTranslation } from 'react-i18next'
import type { PredictedArray } from '@/api/types'
import { sentence } from '@/lib/told'
import { Notice } from '@/ui/Notice'
import { arrayLabel } from './figures'

/** Where a cache was to be filled, the console has a sentence of its own, which minds how many of the
 * requests are writes. */
const isToldElsewhere = (code: string, cacheFilled: boolean | null) =>
  code === 'cache_not_filled' && cacheFilled !== null

/** The first text of each kind, and how many points have one of that kind. */
function kindsOf(arrays: PredictedArray[], told: string[]) {
  const kinds = new Map<string, { text: string; count: number }>()
  for (const { points } of arrays)
    for (const { warnings, cache_filled } of points)
      for (const { code, text } of warnings) {
        if (told.includes(code) || isToldElsewhere(code, cache_filled)) continue
        const kind = kinds.get(code) ?? { text, count: 0 }
        kinds.set(code, { ...kind, count: kind.count + 1 })
      }
  return [...kinds]
}

interface PredictionWarningsProps {
  arrays: PredictedArray[]
  /** Kinds that the page tells in its own words. */
  told?: string[]
}

/** What arraysim itself says against its figures, and which write policies a rule lowers. */
export function PredictionWarnings({ arrays, told = [] }: PredictionWarningsProps) {
  const { t } = useTranslation()
  const all = arrays.reduce((count, { points }) => count + points.length, 0)
  const lowered = arrays.filter(({ write_policy_reason }) => write_policy_reason !== null)
  const why = lowered[0]?.write_policy_reason
  return (
    <>
      {why && (
        <Notice tone="info">
          {t('lab.lowered', {
            arrays: lowered.map((array) => arrayLabel(array, arrays)).join(', '),
            why: sentence(why),
          })}
        </Notice>
      )}
      {kindsOf(arrays, told).map(([code, { text, count }]) => (
        <Notice key={code} tone="info">
          {t('lab.warning', { count, all, text: sentence(text) })}
        </Notice>
      ))}
    </>
  )
}
