import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { latencyQuery, type Measured } from '@/api/figures'
import type { Command, Latency, LatencySummary } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { formatCount } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { problemOf } from '@/lib/problem'
import { ActionButton } from '@/ui/ActionButton'
import { type Column, DataTable } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { Plot } from '@/ui/Plot'
import { Timestamp } from '@/ui/Quantity'
import { formatMicroseconds } from './figures'
import classes from './LatencyPanel.module.css'

const KINDS = ['read', 'write', 'flush'] as const
type Kind = (typeof KINDS)[number]
interface Row {
  kind: Kind
  summary: LatencySummary
}

interface LatencyPanelProps {
  kind: Measured
  id: string
  blockedReason: string | undefined
  onReset: () => Promise<Command>
}

export function LatencyPanel({ kind, id, blockedReason, onReset }: LatencyPanelProps) {
  const { t } = useTranslation()
  const latency = useQuery(latencyQuery(kind, id))
  const reset = useChange(onReset, { done: t('latency.resetDone') })
  // Agents of the former version know nothing of it.
  const isUnknown = latency.error && problemOf(latency.error).code === 'unknown_command'
  return (
    <Panel
      title={t('latency.title')}
      aside={
        !isUnknown && (
          <ActionButton
            variant="default"
            size="compact-sm"
            loading={reset.isPending}
            blockedReason={blockedReason}
            onClick={() => reset.mutate(undefined)}
          >
            {t('latency.reset')}
          </ActionButton>
        )
      }
    >
      <ChangeFailure error={reset.error} />
      {isUnknown ? (
        <p>{t('latency.unavailable')}</p>
      ) : (
        <Loaded query={latency} rows={3}>
          {(data) => <Figures latency={data.latency} />}
        </Loaded>
      )}
    </Panel>
  )
}

function columns(): Column<Row>[] {
  const time = (id: 'mean' | 'p50' | 'p99' | 'p999' | 'max', us: (row: Row) => number) => ({
    id,
    header: i18n.t(`latency.columns.${id}`),
    align: 'end' as const,
    cell: (row: Row) => (row.summary.count > 0 ? formatMicroseconds(us(row)) : '–'),
  })
  return [
    {
      id: 'kind',
      header: i18n.t('latency.columns.kind'),
      isRowHeader: true,
      cell: (row) => i18n.t(`latency.kinds.${row.kind}`),
    },
    {
      id: 'count',
      header: i18n.t('latency.columns.count'),
      align: 'end',
      cell: (row) => formatCount(row.summary.count),
    },
    time('p50', (row) => row.summary.p50_us),
    time('p99', (row) => row.summary.p99_us),
    time('p999', (row) => row.summary.p999_us),
    time('max', (row) => row.summary.max_us),
    time('mean', (row) => row.summary.mean_us),
  ]
}

function Figures({ latency }: { latency: Latency }) {
  const { t } = useTranslation()
  const rows = KINDS.map((kind) => ({ kind, summary: latency[kind] }))
  const busy = rows.filter((row) => row.summary.buckets.length > 0)
  if (rows.every((row) => row.summary.count === 0)) {
    return (
      <EmptyState kind="none-yet" title={t('latency.none')}>
        {t('latency.noneText')}
      </EmptyState>
    )
  }
  return (
    <>
      <p className={classes.since}>
        {t('latency.since')} <Timestamp time={latency.since} />
      </p>
      <DataTable
        label={t('latency.title')}
        columns={columns()}
        rows={rows}
        rowId={(row) => row.kind}
      />
      {busy.length > 0 && (
        <>
          <h3 className={classes.heading}>{t('latency.plot')}</h3>
          <div className={classes.plots}>
            {busy.map((row) => (
              <Distribution key={row.kind} row={row} />
            ))}
          </div>
        </>
      )}
    </>
  )
}

/** How many per cent of all were answered within a time; the time axis is logarithmic. */
export function shares(summary: LatencySummary): { x: number; value: number }[] {
  let sum = 0
  return summary.buckets.map((bucket) => {
    sum += bucket.count
    return { x: Math.log10(Math.max(1, bucket.below_us)), value: (sum / summary.count) * 100 }
  })
}

function Distribution({ row }: { row: Row }) {
  const { t } = useTranslation()
  const kind = t(`latency.kinds.${row.kind}`)
  const points = shares(row.summary).map((point) => ({
    ...point,
    low: 0,
    high: point.value,
  }))
  const from = Math.floor(points[0]?.x ?? 0)
  const to = Math.max(from + 1, Math.ceil(points.at(-1)?.x ?? 1))
  return (
    <figure className={classes.figure}>
      <figcaption>{kind}</figcaption>
      <Plot
        label={t('latency.plotSpoken', {
          kind,
          p50: formatMicroseconds(row.summary.p50_us),
          p99: formatMicroseconds(row.summary.p99_us),
        })}
        points={points}
        from={from}
        to={to}
        gap={Number.POSITIVE_INFINITY}
        top={100}
        formatX={(x) => formatMicroseconds(10 ** x)}
        formatY={(y) => `${y} %`}
      />
    </figure>
  )
}
