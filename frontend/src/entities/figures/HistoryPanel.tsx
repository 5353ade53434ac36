import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { historyQuery } from '@/api/figures'
import type { MetricHistory, MetricSeries } from '@/api/types'
import { word } from '@/entities/states/words'
import { formatClock, formatDateTime } from '@/lib/format'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { Plot } from '@/ui/Plot'
import { axisTop, formatAxis, formatFigure, RANGE_WORDS, RANGES, type Range } from './figures'
import classes from './HistoryPanel.module.css'

interface HistoryPanelProps {
  title?: string
  objectId: string
  /** Which series, in this order. */
  names: string[]
  range: Range
  onRangeChange: (range: Range) => void
}

export function HistoryPanel(props: HistoryPanelProps) {
  const { objectId, names, range, onRangeChange } = props
  const { t } = useTranslation()
  const history = useQuery(historyQuery(objectId, RANGES[range]))
  return (
    <Panel
      title={props.title ?? t('history.title')}
      aside={
        <FilterPills
          label={t('history.range')}
          options={RANGE_WORDS.map((value) => ({ value, label: t(`history.ranges.${value}`) }))}
          value={range}
          onChange={onRangeChange}
        />
      }
    >
      <Loaded query={history} rows={4}>
        {(data) => <Plots history={data} names={names} />}
      </Loaded>
    </Panel>
  )
}

function Plots({ history, names }: { history: MetricHistory; names: string[] }) {
  const { t } = useTranslation()
  const shown = names
    .map((name) => history.series.find((series) => series.name === name))
    .filter((series) => series !== undefined && series.points.length > 0)
  if (shown.length === 0) {
    return (
      <EmptyState kind="none-yet" title={t('history.none')}>
        {t('history.noneText')}
      </EmptyState>
    )
  }
  return (
    <div className={classes.plots}>
      {shown.map(
        (series) => series && <SeriesPlot key={series.name} history={history} series={series} />,
      )}
    </div>
  )
}

function SeriesPlot({ history, series }: { history: MetricHistory; series: MetricSeries }) {
  const { t } = useTranslation()
  const show = (value: number) => formatFigure(series.unit, value)
  const { points } = series
  const until = new Date(history.until)
  const figures = {
    name: word('metric', series.name),
    value: show(points.at(-1)?.value ?? 0),
    low: show(Math.min(...points.map((point) => point.low))),
    high: show(Math.max(...points.map((point) => point.high))),
    from: formatDateTime(history.since),
    to: formatDateTime(history.until),
  }
  return (
    <figure className={classes.figure}>
      <figcaption>
        <h3>{figures.name}</h3>
        <span>{t('history.now', figures)}</span>
      </figcaption>
      <Plot
        label={t('history.spoken', figures)}
        points={points.map((point) => ({ ...point, x: Date.parse(point.at) / 1000 }))}
        from={Date.parse(history.since) / 1000}
        to={until.getTime() / 1000}
        gap={history.step_s * 2.5}
        top={axisTop(series.unit, Math.max(...points.map((point) => point.high)))}
        formatX={(x) => formatClock(new Date(x * 1000), until)}
        formatY={(value) => formatAxis(series.unit, value)}
      />
    </figure>
  )
}
