import { useTranslation } from 'react-i18next'
import type { GroupsScenario, Load, Prediction } from '@/api/types'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import { formatCount, formatPercent } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { Bytes } from '@/ui/Quantity'
import {
  type GroupRow,
  groupRows,
  hasFewRequests,
  latencyTexts,
  rateOf,
  rateText,
  spanText,
} from './group-figures'
import { downloadGroupsCsv } from './groups-export'
import classes from './Lab.module.css'
import { isMemory } from './loads'
import { PredictionWarnings } from './PredictionWarnings'
import { TakeAway } from './TakeAway'
import { TogetherPanel } from './TogetherPanel'

/** One below the other, none of them broken. */
function Figures({ texts }: { texts: string[] }) {
  return (
    <span className={classes.figures}>
      {texts.map((text) => (
        <span key={text}>{text}</span>
      ))}
    </span>
  )
}

function columns(rows: GroupRow[], scenario: GroupsScenario): Column<GroupRow>[] {
  const { t } = i18n
  const mayBeUnreadable =
    scenario.groups.some(({ faults }) => faults.some(({ kind }) => kind === 'latent_errors')) ||
    rows.some(({ group }) => group.bad_bytes > 0)
  const rebuilt: Column<GroupRow> = {
    id: 'rebuilt',
    header: t('lab.groups.columns.rebuilt'),
    align: 'end',
    cell: ({ group: { rebuilding } }) =>
      rebuilding
        ? formatPercent((rebuilding.rebuilt_bytes / Math.max(1, rebuilding.member_bytes)) * 100)
        : '–',
  }
  const unreadable: Column<GroupRow> = {
    id: 'unreadable',
    header: t('lab.groups.columns.unreadable'),
    align: 'end',
    cell: ({ group }) => <Bytes bytes={group.latent_bytes + group.bad_bytes} />,
  }
  return [
    {
      id: 'group',
      header: t('lab.groups.columns.group'),
      isRowHeader: true,
      grow: true,
      cell: ({ group }) => group.name,
    },
    {
      id: 'rate',
      header: t('lab.groups.columns.rate'),
      align: 'end',
      cell: ({ point, byBytes }) => <Figures texts={[rateText(rateOf(point, byBytes), byBytes)]} />,
    },
    {
      id: 'mean',
      header: t('lab.groups.columns.mean'),
      align: 'end',
      cell: ({ point }) => <Figures texts={latencyTexts(point, 'mean_us')} />,
    },
    {
      id: 'p99',
      header: t('lab.groups.columns.p99'),
      align: 'end',
      cell: ({ point }) => <Figures texts={latencyTexts(point, 'p99_us')} />,
    },
    {
      id: 'state',
      header: t('lab.groups.columns.state'),
      cell: ({ group }) => <VirtualDriveStatus state={group.state} />,
    },
    {
      id: 'requests',
      header: t('lab.groups.columns.requests'),
      align: 'end',
      cell: ({ point }) => formatCount(point.operations),
    },
    {
      id: 'failed',
      header: t('lab.groups.columns.failed'),
      align: 'end',
      cell: ({ group }) => formatCount(group.failed_requests),
    },
    ...(rows.some(({ group }) => group.rebuilding !== null) ? [rebuilt] : []),
    ...(mayBeUnreadable ? [unreadable] : []),
  ]
}

interface GroupsResultProps {
  prediction: Prediction
  version: string
  scenario: GroupsScenario
  /** Of the groups' loads, in their order. */
  patterns: Load['pattern'][]
}

export function GroupsResult({ prediction, version, scenario, patterns }: GroupsResultProps) {
  const { t } = useTranslation()
  const rows = groupRows(prediction.arrays, patterns)
  const few = rows.filter(hasFewRequests).map(({ group }) => group.name)
  const measured = rows[0]?.point.duration_us ?? 0
  return (
    <>
      <p className={classes.muted}>
        {t('lab.groups.stand', {
          version,
          operations: formatCount(scenario.limits.operations),
          time: spanText(measured),
        })}
      </p>
      {rows.some(({ pattern, point }) => isMemory(pattern, point)) && (
        <Notice tone="info">{t('lab.notFilled')}</Notice>
      )}
      <PredictionWarnings arrays={prediction.arrays} told={['run_too_short']} />
      {few.length > 0 && (
        <Notice tone="info">{t('lab.groups.few', { names: few.join(', ') })}</Notice>
      )}
      <Panel
        title={t('lab.groups.result')}
        aside={<TakeAway onCsv={() => downloadGroupsCsv(prediction)} />}
        flush
      >
        <DataTable
          label={t('lab.groups.resultTable')}
          columns={columns(rows, scenario)}
          rows={rows}
          rowId={({ group }) => group.name}
        />
      </Panel>
      <TogetherPanel rows={rows} />
    </>
  )
}
