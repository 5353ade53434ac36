import { useTranslation } from 'react-i18next'
import type { PredictedArray, WorkloadModel } from '@/api/types'
import { Panel } from '@/ui/Panel'
import { useScrolls } from '@/ui/use-scrolls'
import { axesOf, type Ratio, ratios, ratioTone, stepLabels } from './figures'
import classes from './Lab.module.css'

interface RatioPanelProps {
  title: string
  arrays: PredictedArray[]
  workload: WorkloadModel
  isUpper: (array: PredictedArray) => boolean
  isSame: (one: PredictedArray, other: PredictedArray) => boolean
  isLower: (array: PredictedArray) => boolean
}

/** One array divided by another, place by place, as the reviews colored it. */
export function RatioPanel(props: RatioPanelProps) {
  const { t } = useTranslation()
  const { title, arrays, workload, isUpper, isSame, isLower } = props
  const found = ratios(arrays, workload, isUpper, isSame, isLower)
  if (found.length === 0) return null
  return (
    <Panel title={title}>
      <p className={classes.muted}>{t('lab.ratioHint')}</p>
      {found.map((ratio) => (
        <RatioTable key={ratio.label} ratio={ratio} title={title} workload={workload} />
      ))}
    </Panel>
  )
}

interface RatioTableProps {
  ratio: Ratio
  title: string
  workload: WorkloadModel
}

function RatioTable({ ratio, title, workload }: RatioTableProps) {
  const { t } = useTranslation()
  const { ref, scrolls } = useScrolls<HTMLElement>()
  const { x, slice } = axesOf(workload)
  const rows = slice ? stepLabels(workload, slice) : ['']
  const columns = x ? stepLabels(workload, x) : ['']
  return (
    <section
      ref={ref}
      className={classes.scroller}
      aria-label={t('lab.ratioTable', { title, array: ratio.label })}
      tabIndex={scrolls ? 0 : undefined}
    >
      <table className={classes.cells}>
        <caption>{ratio.label}</caption>
        <thead>
          <tr>
            <th scope="col">
              {slice && t(`lab.axes.${slice}`)}
              {slice && x && ' \\ '}
              {x && t(`lab.axes.${x}`)}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {columns.map((column, at) => (
                <RatioCell key={column} value={ratio.values[index]?.[at]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function RatioCell({ value }: { value: number | undefined }) {
  if (value === undefined) return <td>–</td>
  return <td data-tone={ratioTone(value)}>{value.toFixed(2)}</td>
}
