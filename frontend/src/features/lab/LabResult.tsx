import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PredictedArray, Prediction, Scenario, WorkloadModel } from '@/api/types'
import { formatCount } from '@/lib/format'
import { FilterPills } from '@/ui/FilterPills'
import { LINES_MAX, LinePlot } from '@/ui/LinePlot'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { ArraysPanel } from './ArraysPanel'
import { downloadCsv, downloadPicture } from './export'
import { FiguresTable } from './FiguresTable'
import { axesOf, stepLabels } from './figures'
import classes from './Lab.module.css'
import { isMemory } from './loads'
import { PredictionWarnings } from './PredictionWarnings'
import { plotOf } from './plot'
import { RatingsPanel } from './RatingsPanel'
import { RatioPanel } from './RatioPanel'
import { TakeAway } from './TakeAway'

interface LabResultProps {
  prediction: Prediction
  version: string
  scenario: Scenario
  workload: WorkloadModel
  step: string | undefined
  onStepChange: (step: string) => void
}

/** Of the same level and number of drives, and alike in whatever `but` does not leave out. */
const alike = (but: 'write_policy' | 'failed') => (one: PredictedArray, other: PredictedArray) =>
  one.level === other.level &&
  one.drives === other.drives &&
  (but === 'failed'
    ? one.write_policy === other.write_policy
    : one.failed.length === other.failed.length)

export function LabResult(props: LabResultProps) {
  const { t } = useTranslation()
  const { prediction, version, scenario, workload } = props
  const { arrays } = prediction
  return (
    <>
      <p className={classes.muted}>
        {t('lab.stand', {
          version,
          operations: formatCount(scenario.limits?.operations ?? 0),
        })}
      </p>
      {arrays.some(({ points }) => points.some((point) => isMemory(workload.pattern, point))) && (
        <Notice tone="info">{t('lab.notFilled')}</Notice>
      )}
      <PredictionWarnings arrays={arrays} />
      <Curves {...props} />
      <RatingsPanel arrays={arrays} />
      <RatioPanel
        title={t('lab.policyRatio')}
        arrays={arrays}
        workload={workload}
        isUpper={(array) => array.write_policy === 'write_back'}
        isSame={alike('write_policy')}
        isLower={(array) => array.write_policy === 'write_through'}
      />
      <RatioPanel
        title={t('lab.failureRatio')}
        arrays={arrays}
        workload={workload}
        isUpper={(array) => array.failed.length > 0}
        isSame={alike('failed')}
        isLower={(array) => array.failed.length === 0}
      />
      <ArraysPanel arrays={arrays} />
    </>
  )
}

function Curves({ prediction, workload, step, onStepChange }: LabResultProps) {
  const { t } = useTranslation()
  const { slice } = axesOf(workload)
  const steps = slice ? stepLabels(workload, slice) : []
  const at = Math.max(0, steps.indexOf(step ?? ''))
  const plot = plotOf(prediction, workload, at)
  if (plot === undefined) return null
  const title = t('lab.curves', plot.words)
  return (
    <Panel title={title} aside={<Exports plot={plot} title={title} prediction={prediction} />}>
      {slice && (
        <div className={classes.slices}>
          <span aria-hidden>{t(`lab.axes.${slice}`)}</span>
          <FilterPills
            label={t(`lab.axes.${slice}`)}
            options={steps.map((value) => ({ value, label: value }))}
            value={steps[at] ?? ''}
            onChange={onStepChange}
          />
        </div>
      )}
      <LinePlot
        data={plot}
        label={t('lab.curvesSpoken', { ...plot.words, count: plot.series.length })}
      />
      {plot.series.length > LINES_MAX && (
        <p className={classes.muted}>{t('lab.tooMany', { max: LINES_MAX })}</p>
      )}
      <details className={classes.details}>
        <summary>{t('lab.figures')}</summary>
        <FiguresTable plot={plot} />
      </details>
    </Panel>
  )
}

interface ExportsProps {
  plot: NonNullable<ReturnType<typeof plotOf>>
  title: string
  prediction: Prediction
}

function Exports({ plot, title, prediction }: ExportsProps) {
  const { t } = useTranslation()
  return (
    <TakeAway onCsv={() => downloadCsv(prediction)}>
      <Button variant="default" size="xs" onClick={() => downloadPicture(plot, title)}>
        {t('lab.exportPng')}
      </Button>
    </TakeAway>
  )
}
