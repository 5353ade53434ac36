import { useTranslation } from 'react-i18next'
import { useScrolls } from '@/ui/use-scrolls'
import classes from './Lab.module.css'
import type { LabPlot } from './plot'

/** The curves for whoever reads figures rather than pictures. */
export function FiguresTable({ plot }: { plot: LabPlot }) {
  const { t } = useTranslation()
  const { ref, scrolls } = useScrolls<HTMLElement>()
  return (
    <section
      ref={ref}
      className={classes.scroller}
      aria-label={t('lab.figuresTable')}
      tabIndex={scrolls ? 0 : undefined}
    >
      <table className={classes.cells}>
        <thead>
          <tr>
            <th scope="col">{t('lab.arrayColumn')}</th>
            {plot.steps.map((step) => (
              <th key={step} scope="col">
                {step}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plot.series.map((series) => (
            <tr key={series.name}>
              <th scope="row">{series.name}</th>
              {plot.steps.map((step, index) => {
                const value = series.values[index]
                return <td key={step}>{value === undefined ? '–' : plot.formatY(value)}</td>
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
