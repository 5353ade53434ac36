import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Days } from '@/lib/days'

interface DayRangeProps {
  value: Days
  onChange: (days: { from: string | undefined; to: string | undefined }) => void
}

/** Two days; either may be left open. */
export function DayRange({ value, onChange }: DayRangeProps) {
  const { t } = useTranslation()
  const { from, to } = value
  return (
    <>
      <TextInput
        type="date"
        size="sm"
        aria-label={t('common.fromDay')}
        title={t('common.fromDay')}
        value={from ?? ''}
        max={to}
        onChange={(event) => onChange({ from: event.currentTarget.value || undefined, to })}
      />
      <TextInput
        type="date"
        size="sm"
        aria-label={t('common.toDay')}
        title={t('common.toDay')}
        value={to ?? ''}
        min={from}
        onChange={(event) => onChange({ from, to: event.currentTarget.value || undefined })}
      />
    </>
  )
}
