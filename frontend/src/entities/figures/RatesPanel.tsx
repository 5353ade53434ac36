import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { latencyQuery, type Measured } from '@/api/figures'
import { formatClock, formatPerSecond } from '@/lib/format'
import { Panel } from '@/ui/Panel'
import { niceTop, Plot } from '@/ui/Plot'
import classes from './HistoryPanel.module.css'
import { RATE_KINDS, type Rate, type RateKind, ratesOf } from './rates'

/** An interval that is much longer than the one between two questions is shown as a gap. */
const GAP_S = 30
/** The least that the axis of time shows. */
const SPAN_S = 300

/** How many requests there are in a second, since somebody looks. */
export function RatesPanel({ kind, id }: { kind: Measured; id: string }) {
  const { t } = useTranslation()
  const { data } = useQuery(latencyQuery(kind, id))
  // An agent that measures nothing, or one that cannot be asked: the panel about latency says so.
  if (data === undefined) return null
  const series = RATE_KINDS.map((each) => ({ kind: each, rates: ratesOf(data.samples, each) }))
  return (
    <Panel title={t('rates.title')}>
      {series.every(({ rates }) => rates.length === 0) ? (
        <p>{t('rates.waiting')}</p>
      ) : (
        <div className={classes.plots}>
          {series.map(({ kind: each, rates }) => (
            <RatePlot key={each} kind={each} rates={rates} />
          ))}
        </div>
      )}
    </Panel>
  )
}

function RatePlot({ kind, rates }: { kind: RateKind; rates: Rate[] }) {
  const { t } = useTranslation()
  const last = rates.at(-1)
  const first = rates[0]
  if (last === undefined || first === undefined) return null
  const highest = Math.max(...rates.map(({ perSecond }) => perSecond))
  const figures = {
    kind: t(`latency.kinds.${kind}`),
    now: formatPerSecond(last.perSecond),
    high: formatPerSecond(highest),
  }
  const until = new Date(last.at * 1000)
  return (
    <figure className={classes.figure}>
      <figcaption>
        <h3>{figures.kind}</h3>
        <span>{t('rates.now', figures)}</span>
      </figcaption>
      <Plot
        label={t('rates.spoken', figures)}
        points={rates.map(({ at, perSecond }) => ({
          x: at,
          low: 0,
          value: perSecond,
          high: perSecond,
        }))}
        from={Math.min(first.at, last.at - SPAN_S)}
        to={last.at}
        gap={GAP_S}
        top={Math.max(10, niceTop(highest))}
        formatX={(x) => formatClock(new Date(x * 1000), until)}
        formatY={formatPerSecond}
      />
    </figure>
  )
}
