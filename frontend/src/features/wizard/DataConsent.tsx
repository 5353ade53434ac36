import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Drive, Reason } from '@/api/types'
import { Notice } from '@/ui/Notice'

interface DataConsentProps {
  refusals: Reason[]
  drives: Drive[]
  serials: string[]
  onChange: (serials: string[]) => void
}

/** Which of the chosen drives the host refuses because they carry data. */
export function drivesWithData(refusals: Reason[], drives: Drive[]): Drive[] {
  const named = refusals
    .filter((reason) => reason.code === 'drive_has_data')
    .map((reason) => reason.params.drive)
  return drives.filter((drive) => named.includes(drive.path) || named.includes(drive.key))
}

/** The typed serial numbers that belong to chosen drives; only these go to the host. */
export function DataConsent({ refusals, drives, serials, onChange }: DataConsentProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<Record<string, string>>({})
  const refused = drivesWithData(refusals, drives)
  // A drive whose serial was typed is not refused any more, but its field stays.
  const asked = drives.filter((drive) => refused.includes(drive) || serials.includes(drive.serial))
  if (asked.length === 0) return null

  function type(drive: Drive, text: string) {
    setTyped({ ...typed, [drive.id]: text })
    const others = serials.filter((serial) => serial !== drive.serial)
    const next = text === drive.serial ? [...others, drive.serial] : others
    if (next.length !== serials.length) onChange(next)
  }

  return (
    <Notice tone="crit" title={t('wizard.consent')}>
      <Stack gap="xs" mt="xs">
        {asked.map((drive) => (
          <TextInput
            key={drive.id}
            label={t('wizard.consentLabel', { path: drive.path })}
            description={t('wizard.consentExpected', { serial: drive.serial })}
            value={typed[drive.id] ?? ''}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => type(drive, event.currentTarget.value)}
          />
        ))}
      </Stack>
    </Notice>
  )
}
