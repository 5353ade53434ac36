import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Drive } from '@/api/types'
import { CommandError } from '@/entities/commands/follow'
import { ProblemError } from '@/lib/problem'
import { Notice } from '@/ui/Notice'

const NEEDS_SERIAL = ['drive_has_data', 'drive_foreign']

/** Once the host has said that the drive carries data, its serial number stays needed. */
export function useSerialNeeded(error: Error | null): boolean {
  const [needed, setNeeded] = useState(false)
  const code =
    error instanceof CommandError
      ? error.command.reason?.code
      : error instanceof ProblemError
        ? error.code
        : undefined
  const isNow = code !== undefined && NEEDS_SERIAL.includes(code)
  if (isNow && !needed) setNeeded(true)
  return needed || isNow
}

interface SerialFieldProps {
  drive: Drive
  value: string
  onChange: (value: string) => void
}

export function SerialField({ drive, value, onChange }: SerialFieldProps) {
  const { t } = useTranslation()
  return (
    <Notice tone="crit" title={t('driveDialog.hasData')}>
      <TextInput
        mt="xs"
        label={t('driveDialog.serialLabel')}
        description={drive.serial}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Notice>
  )
}
