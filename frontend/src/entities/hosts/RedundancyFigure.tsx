import { useTranslation } from 'react-i18next'
import { Figure } from '@/ui/Figures'

interface RedundancyFigureProps {
  /** Drives that may still fail, wherever they are; null: nothing there has redundancy. */
  left: number | null
  /** What is said then. */
  without: string
  /** Its data cannot be read at all. */
  lost?: boolean
}

export function RedundancyFigure({ left, without, lost = false }: RedundancyFigureProps) {
  const { t } = useTranslation()
  const label = t('host.survives')
  if (lost) {
    return (
      <Figure label={label} value={t('host.survivesLost')} tone="crit">
        {t('host.survivesLostDetail')}
      </Figure>
    )
  }
  if (left === null) {
    return (
      <Figure label={label} value="–">
        {without}
      </Figure>
    )
  }
  return (
    <Figure
      label={label}
      value={t('host.survivesValue', { count: left })}
      tone={left === 0 ? 'warn' : 'plain'}
    >
      {t(left === 0 ? 'host.survivesNone' : 'host.survivesDetail')}
    </Figure>
  )
}
