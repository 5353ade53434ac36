import { Checkbox, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isFree } from '@/entities/wishes/suggest'
import { formatBytes } from '@/lib/format'
import { Panel } from '@/ui/Panel'
import type { AdvancedFormProps } from './AdvancedForm'

export function SparePicker({ wish, controller, inventory, onChange }: AdvancedFormProps) {
  const { t } = useTranslation()
  const left = inventory.drives.filter(
    (drive) =>
      drive.controller_id === controller.id && isFree(drive) && !wish.driveIds.includes(drive.id),
  )
  return (
    <Panel title={t('wizard.spares')}>
      {left.length === 0 && <p>{t('wizard.sparesNone')}</p>}
      <Checkbox.Group value={wish.spareIds} onChange={(spareIds) => onChange({ spareIds })}>
        <Stack gap="xs" role="group" aria-label={t('wizard.spares')}>
          {left.map((drive) => (
            <Checkbox
              key={drive.id}
              value={drive.id}
              label={`${drive.path} · ${formatBytes(drive.size_bytes)} · ${drive.serial}`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </Panel>
  )
}
