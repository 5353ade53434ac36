import { useTranslation } from 'react-i18next'
import type { Drive, Operation } from '@/api/types'
import { UnderWay } from '@/entities/operations/UnderWay'
import { Figure, Figures } from '@/ui/Figures'
import { Bytes } from '@/ui/Quantity'

interface DriveFiguresProps {
  drive: Drive
  operations: Operation[]
}

/** How a drive is, before any detail. Wear is told by SSDs only. */
export function DriveFigures({ drive, operations }: DriveFiguresProps) {
  const { t } = useTranslation()
  const { media_error_count: media, other_error_count: other, health } = drive
  const wear = health?.wear_percent ?? null
  return (
    <Figures label={t('drive.figures')}>
      <Figure
        label={t('drive.errors')}
        value={media + other}
        tone={media + other > 0 ? 'warn' : 'plain'}
      >
        {t('drive.errorsOf', { media, other })}
      </Figure>
      <Figure
        label={t('drive.temperature')}
        value={
          drive.temperature_c === null
            ? '–'
            : t('chassis.temperature', { celsius: drive.temperature_c })
        }
      >
        {drive.temperature_c === null && t('chassis.noTemperature')}
      </Figure>
      {wear !== null && <Figure label={t('drive.wear')} value={`${wear} %`} />}
      <Figure label={t('drive.usable')} value={<Bytes bytes={drive.usable_bytes} />}>
        {drive.model}
      </Figure>
      <UnderWay operations={operations} />
    </Figures>
  )
}
