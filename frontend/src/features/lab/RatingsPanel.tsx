import { useTranslation } from 'react-i18next'
import type { PredictedArray } from '@/api/types'
import { formatCount } from '@/lib/format'
import { Meter } from '@/ui/Meter'
import { Panel } from '@/ui/Panel'
import { arrayLabel } from './figures'
import classes from './Lab.module.css'

/** One bar for each array, the best first. */
export function RatingsPanel({ arrays }: { arrays: PredictedArray[] }) {
  const { t } = useTranslation()
  const rated = arrays
    .flatMap((array) => array.ratings.slice(0, 1).map((rating) => ({ array, rating })))
    .toSorted((a, b) => b.rating.value - a.rating.value)
  const [best] = rated
  if (!best) return null
  const shown = rated.map(({ array }) => array)
  const { formula } = best.rating
  return (
    <Panel title={t('lab.ratings')}>
      {formula !== 'none' && <p className={classes.muted}>{t(`lab.ratingsHint.${formula}`)}</p>}
      <ol className={classes.ratings}>
        {rated.map(({ array, rating }) => {
          const label = arrayLabel(array, shown)
          return (
            <li key={label}>
              <span>{label}</span>
              <Meter
                label={label}
                text={formatCount(Math.round(rating.value))}
                value={rating.value}
                max={best.rating.value}
              />
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}
