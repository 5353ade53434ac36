import { Checkbox, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Drive } from '@/api/types'
import { formatBytes } from '@/lib/format'
import { choiceBlocked } from './DrivePicker'

interface LooseDrivesProps {
  drives: Drive[]
  chosen: string[]
  onToggle: (drive: Drive) => void
}

/** Drives that are in no enclosure: a list instead of a picture. */
export function LooseDrives({ drives, chosen, onToggle }: LooseDrivesProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs" mt="sm" role="group" aria-label={t('chassis.loose')}>
      {drives.map((drive) => {
        const blocked = choiceBlocked(drive)
        return (
          <Checkbox
            key={drive.id}
            label={`${drive.path} · ${formatBytes(drive.size_bytes)} · ${drive.device} · ${drive.serial}`}
            description={blocked}
            disabled={blocked !== undefined}
            checked={chosen.includes(drive.id)}
            onChange={() => onToggle(drive)}
          />
        )
      })}
    </Stack>
  )
}
