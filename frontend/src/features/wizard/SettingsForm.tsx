import { NativeSelect, NumberInput, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PolicySelect } from '@/features/virtual-drives/PolicySelect'
import { formatStrip } from '@/lib/format'
import { Panel } from '@/ui/Panel'
import type { AdvancedFormProps } from './AdvancedForm'
import { NameField } from './NameField'
import { PresetField } from './PresetField'
import { wholeRows } from './wish'

const GB = 1_000_000_000

export function SettingsForm(props: AdvancedFormProps) {
  const { t } = useTranslation()
  const { wish, controller, onChange } = props
  return (
    <Panel title={t('wizard.settings')}>
      <Stack gap="md">
        <NameField wish={wish} onChange={onChange} />
        <SizeField {...props} />
        <PresetField {...props} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <NativeSelect
            label={t('wizard.strip')}
            value={String(wish.stripBytes ?? controller.strip_default_bytes)}
            data={controller.strip_sizes_bytes.map((bytes) => ({
              value: String(bytes),
              label:
                bytes === controller.strip_default_bytes
                  ? t('wizard.stripDefault', { size: formatStrip(bytes) })
                  : formatStrip(bytes),
            }))}
            onChange={(event) => onChange({ stripBytes: Number(event.currentTarget.value) })}
          />
          <PolicySelect
            name="write_policy"
            label={t('vd.write')}
            value={wish.write_policy}
            onChange={(write_policy) => onChange({ write_policy })}
          />
          <PolicySelect
            name="read_policy"
            label={t('vd.read')}
            value={wish.read_policy}
            onChange={(read_policy) => onChange({ read_policy })}
          />
          <PolicySelect
            name="io_policy"
            label={t('vd.io')}
            value={wish.io_policy}
            onChange={(io_policy) => onChange({ io_policy })}
          />
          <PolicySelect
            name="drive_cache_policy"
            label={t('vd.driveCache')}
            value={wish.drive_cache_policy}
            onChange={(drive_cache_policy) => onChange({ drive_cache_policy })}
          />
          {controller.presets.some(({ degraded_policy }) => degraded_policy) && (
            <PolicySelect
              name="degraded_policy"
              label={t('vd.degraded')}
              description={t('policy.degradedHelp')}
              value={wish.degraded_policy}
              onChange={(degraded_policy) => onChange({ degraded_policy })}
            />
          )}
        </SimpleGrid>
      </Stack>
    </Panel>
  )
}

function SizeField({ wish, rowBytes, onChange }: AdvancedFormProps) {
  const { t } = useTranslation()
  const isFixed = wish.sizeBytes !== null
  return (
    <Stack gap="xs">
      <Radio.Group
        label={t('wizard.size')}
        value={isFixed ? 'fixed' : 'all'}
        onChange={(value) =>
          onChange({ sizeBytes: value === 'fixed' ? wholeRows(GB, rowBytes) : null })
        }
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('wizard.sizeAll')} />
          <Radio value="fixed" label={t('wizard.sizeFixed')} />
        </Stack>
      </Radio.Group>
      {isFixed && (
        <NumberInput
          label={t('wizard.sizeGb')}
          description={t('wizard.sizeHelp')}
          maw={220}
          min={0}
          decimalScale={6}
          defaultValue={(wish.sizeBytes ?? GB) / GB}
          onChange={(value) =>
            onChange({ sizeBytes: wholeRows(Math.round(Number(value) * GB), rowBytes) })
          }
        />
      )}
    </Stack>
  )
}
