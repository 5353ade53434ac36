import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Choice, ChoicePrediction } from '@/api/types'
import { word } from '@/entities/states/words'
import { formatCount, formatDuration, formatRate } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { sentence } from '@/lib/told'
import { type Column, DataTable } from '@/ui/DataTable'
import { Bytes } from '@/ui/Quantity'
import classes from './Prediction.module.css'

const perSecond = (value: number) =>
  i18n.t('prediction.perSecond', { rate: formatCount(Math.round(value)) })

function figure(
  id: 'randomRead' | 'randomWrite' | 'sequentialRead' | 'sequentialWrite',
  value: (choice: Choice) => number | undefined,
): Column<Choice> {
  const isRandom = id.startsWith('random')
  return {
    id,
    header: i18n.t(`prediction.columns.${id}`),
    align: 'end',
    sortValue: (choice) => value(choice) ?? -1,
    cell: (choice) => {
      const rate = value(choice)
      if (rate === undefined) return '–'
      return isRandom ? perSecond(rate) : formatRate(rate)
    },
  }
}

function columns(): Column<Choice>[] {
  return [
    {
      id: 'level',
      header: i18n.t('prediction.columns.level'),
      isRowHeader: true,
      cell: (choice) => (
        <>
          {word('raidLevel', choice.level)}
          {choice.chosen && <span className={classes.chosen}>{i18n.t('prediction.chosen')}</span>}
        </>
      ),
    },
    {
      id: 'policy',
      header: i18n.t('prediction.columns.policy'),
      cell: (choice) => word('policyWord', choice.write_policy),
    },
    {
      id: 'size',
      header: i18n.t('prediction.columns.size'),
      align: 'end',
      sortValue: (choice) => choice.size_bytes,
      cell: (choice) => <Bytes bytes={choice.size_bytes} />,
    },
    figure('randomRead', (choice) => choice.figures?.random_read_per_s),
    figure('randomWrite', (choice) => choice.figures?.random_write_per_s),
    figure('sequentialRead', (choice) => choice.figures?.sequential_read_bytes_per_s),
    figure('sequentialWrite', (choice) => choice.figures?.sequential_write_bytes_per_s),
    {
      id: 'rebuild',
      header: i18n.t('prediction.columns.rebuild'),
      align: 'end',
      sortValue: (choice) => choice.rebuild?.seconds ?? Number.MAX_VALUE,
      cell: (choice) => (choice.rebuild ? formatDuration(choice.rebuild.seconds) : '–'),
    },
    {
      id: 'pairs',
      header: i18n.t('prediction.columns.pairs'),
      align: 'end',
      sortValue: (choice) =>
        choice.survival && choice.survival.pairs > 0
          ? choice.survival.pairs_survived / choice.survival.pairs
          : 0,
      cell: ({ survival }) =>
        survival && survival.pairs > 0 ? `${survival.pairs_survived} / ${survival.pairs}` : '–',
    },
  ]
}

/** The choice, its level with the other way of writing, and the other levels like the choice. */
export function rowsOf(choices: Choice[]): Choice[] {
  const chosen = choices.find((choice) => choice.chosen)
  const rank = (choice: Choice) => (choice.chosen ? 0 : choice.level === chosen?.level ? 1 : 2)
  return choices
    .filter((choice) => choice.refused === null)
    .filter(
      (choice) => choice.level === chosen?.level || choice.write_policy === chosen?.write_policy,
    )
    .toSorted((a, b) => rank(a) - rank(b))
}

/** Once for each level: a reason does not depend on the way of writing. */
function refusals(choices: Choice[]): Choice[] {
  const levels = new Map(
    choices.filter((choice) => choice.refused !== null).map((choice) => [choice.level, choice]),
  )
  return [...levels.values()]
}

export function ChoiceTable({ prediction }: { prediction: ChoicePrediction }) {
  const { t } = useTranslation()
  const [sort, setSort] = useState<string>()
  const refused = refusals(prediction.choices)
  const lowered = prediction.choices.find((choice) => choice.write_policy_reason !== null)
  return (
    <>
      <DataTable
        label={t('prediction.table')}
        columns={columns()}
        rows={rowsOf(prediction.choices)}
        rowId={(choice) => `${choice.level}/${choice.write_policy}`}
        rowTone={(choice) => (choice.chosen ? 'selected' : undefined)}
        sort={sort}
        onSortChange={setSort}
      />
      {lowered && (
        <p className={classes.basis}>
          {t('prediction.lowered', { why: sentence(lowered.write_policy_reason ?? '') })}
        </p>
      )}
      {refused.length > 0 && (
        <div className={classes.basis}>
          <p>{t('prediction.refused')}</p>
          <ul>
            {refused.map((choice) => (
              <li key={choice.level}>
                {t('prediction.refusedEntry', {
                  level: word('raidLevel', choice.level),
                  why: sentence(choice.refused ?? ''),
                })}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
