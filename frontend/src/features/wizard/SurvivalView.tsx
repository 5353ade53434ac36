import { Check, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Survival } from '@/api/types'
import classes from './Prediction.module.css'

/** So many drives make a picture; more make a list. */
const MATRIX_MAX = 16

interface SurvivalViewProps {
  survival: Survival
  names: string[]
}

/** What may fail. Every pair was tried by the engine's own rule; nothing is computed here. */
export function SurvivalView({ survival, names }: SurvivalViewProps) {
  const { t } = useTranslation()
  if (survival.pairs === 0) return null
  const counts = { survived: survival.pairs_survived, pairs: survival.pairs }
  const share =
    counts.survived === 0 ? 'pairsNone' : counts.survived === counts.pairs ? 'pairsAll' : 'pairs'
  return (
    <div>
      <p>
        {survival.singles_survived === survival.singles
          ? t('prediction.singles', { count: survival.singles })
          : t('prediction.none')}{' '}
        {t(`prediction.${share}`, counts)}
      </p>
      <details className={classes.details}>
        <summary>{t('prediction.pairsShow')}</summary>
        {names.length <= MATRIX_MAX ? (
          <PairMatrix survival={survival} names={names} />
        ) : (
          <FatalList survival={survival} names={names} />
        )}
      </details>
    </div>
  )
}

const isFatal = (survival: Survival, one: number, other: number) =>
  survival.fatal_pairs.some((pair) => pair.includes(one) && pair.includes(other))

/** A row and a column for each drive; the name at the beginning of the row, numbers above. */
function PairMatrix({ survival, names }: SurvivalViewProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.scroller}>
      <table className={classes.matrix}>
        <caption>{t('prediction.pairsTable')}</caption>
        <thead>
          <tr>
            <td />
            {names.map((name, column) => (
              <th key={name} scope="col" aria-label={name}>
                {column + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name, row) => (
            <tr key={name}>
              <th scope="row">
                {row + 1} <span>{name}</span>
              </th>
              {names.map((other, column) => (
                <td key={other}>
                  {row !== column && <Outcome fatal={isFatal(survival, row, column)} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Outcome({ fatal }: { fatal: boolean }) {
  const { t } = useTranslation()
  const Icon = fatal ? X : Check
  return (
    <span className={classes.outcome} data-fatal={fatal}>
      <Icon
        size={14}
        role="img"
        aria-label={t(fatal ? 'prediction.pairFatal' : 'prediction.pairSurvived')}
      />
    </span>
  )
}

function FatalList({ survival, names }: SurvivalViewProps) {
  const { t } = useTranslation()
  if (survival.fatal_pairs.length === 0) return null
  return (
    <>
      <p>{t('prediction.fatal')}</p>
      <ul className={classes.pairs}>
        {survival.fatal_pairs.map(([one = 0, other = 0]) => (
          <li key={`${one}/${other}`}>
            {t('prediction.fatalPair', { one: names[one] ?? one, other: names[other] ?? other })}
          </li>
        ))}
      </ul>
    </>
  )
}
