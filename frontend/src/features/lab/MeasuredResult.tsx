import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { measuredQuery } from '@/api/lab'
import type { LoadPrediction, MeasuredLoad, Measurement, VirtualDrive } from '@/api/types'
import { formatCount, formatDateTime, formatRate, formatStrip } from '@/lib/format'
import { problemDetail, problemOf } from '@/lib/problem'
import { reasonText, sentence } from '@/lib/told'
import { Meter } from '@/ui/Meter'
import { Notice } from '@/ui/Notice'
import { ProgressLine } from '@/ui/ProgressLine'
import classes from './Lab.module.css'
import { askedOf, isByBytes } from './loads'

interface MeasuredResultProps {
  drive: VirtualDrive
  measurement: Measurement
}

/** The measurement as it goes on, and what it gave beside the prediction. */
export function MeasuredResult({ drive, measurement }: MeasuredResultProps) {
  const { t } = useTranslation()
  const prediction = useQuery(
    measuredQuery({
      virtual_drive_id: drive.id,
      seconds: measurement.seconds,
      loads: measurement.loads.map(askedOf),
    }),
  )
  const { state, reason } = measurement
  const { data: predicted, error } = prediction
  return (
    <section aria-label={t('measure.result', { name: drive.name || drive.path })}>
      {state === 'running' ? (
        <ProgressLine label={t('measure.running')} percent={measurement.progress_percent} />
      ) : (
        <p className={classes.muted} role="status">
          {t(`measure.states.${state as 'completed'}`, {
            time: formatDateTime(measurement.ended_at ?? measurement.started_at),
            seconds: measurement.seconds,
          })}
          {reason && ` ${reasonText(reason)}`}
        </p>
      )}
      {measurement.overwrites && state !== 'running' && (
        <p className={classes.muted}>{t('measure.overwritten')}</p>
      )}
      <ol className={classes.measured}>
        {measurement.loads.map((load, index) => (
          <Bars
            // biome-ignore lint/suspicious/noArrayIndexKey: loads have no other identity
            key={index}
            load={load}
            predicted={predicted?.loads[index]}
          />
        ))}
      </ol>
      {predicted && (
        <p className={classes.muted}>
          {(predicted.refused && sentence(predicted.refused)) ??
            t(predicted.drive.exact ? 'measure.exact' : 'measure.similar', {
              version: predicted.version,
              model: predicted.drive.model,
            })}
        </p>
      )}
      {error && (
        <Notice tone="info" title={t('measure.unpredicted')}>
          <p>{problemDetail(problemOf(error))}</p>
        </Notice>
      )}
    </section>
  )
}

function Bars({ load, predicted }: { load: MeasuredLoad; predicted: LoadPrediction | undefined }) {
  const { t } = useTranslation()
  const byBytes = isByBytes(load)
  const rate = (of: LoadPrediction) => (byBytes ? of.bytes_per_s : of.operations_per_s)
  const text = (value: number) =>
    byBytes ? formatRate(value) : t('measure.perSecond', { rate: formatCount(Math.round(value)) })
  const has = load.duration_us > 0
  const measured = rate(load)
  const expected = predicted ? rate(predicted) : 0
  const max = Math.max(measured, expected, 1)
  const label = t('measure.load', {
    pattern: t(`measure.patterns.${load.pattern as 'random'}`),
    size: load.blocks.map(({ bytes }) => formatStrip(bytes)).join(', '),
    writes: load.write_percent,
    depth: load.depth * load.workers,
  })
  return (
    <li aria-label={label}>
      <span className={classes.loadName}>{label}</span>
      <span>{t('measure.measured')}</span>
      <Meter
        label={t('measure.measured')}
        text={has ? text(measured) : t('measure.notBegun')}
        value={measured}
        max={max}
        tone="ok"
      />
      {predicted && (
        <>
          <span>{t('measure.predicted')}</span>
          <Meter label={t('measure.predicted')} text={text(expected)} value={expected} max={max} />
          {has && expected > 0 && (
            <span className={classes.loadName}>
              {t('measure.ratio', { ratio: (measured / expected).toFixed(2) })}
            </span>
          )}
        </>
      )}
    </li>
  )
}
