import { NativeSelect, Radio, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PolicySelect } from '@/entities/virtual-drives/PolicySelect'
import { BLOCK_BYTES, wholeRows } from '@/entities/wishes/wish'
import { formatStrip } from '@/lib/format'
import { Panel } from '@/ui/Panel'
import { SizeField } from '@/ui/SizeField'
import type { AdvancedFormProps } from './AdvancedForm'
import { NameField } from './NameField'
import { PresetField } from './PresetField'

const GB = 1_000_000_000

export function SettingsForm(props: AdvancedFormProps) {
  const { t } = useTranslation()
  const { wish, controller, onChange } = props
  return (
    <Panel title={t('wizard.settings')}>
      <Stack gap="md">
        <NameField wish={wish} onChange={onChange} />
        <SizeChoice {...props} />
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

function SizeChoice({ wish, rowBytes, onChange }: AdvancedFormProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      <Radio.Group
        label={t('wizard.size')}
        value={wish.size}
        onChange={(value) =>
          onChange(
            value === 'part'
              ? { size: 'part', partBytes: wholeRows(GB, rowBytes) }
              : { size: 'all', partBytes: null },
          )
        }
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('wizard.sizeAll')} />
          <Radio value="part" label={t('wizard.sizeFixed')} />
        </Stack>
      </Radio.Group>
      {wish.size === 'part' && (
        <SizeField
          label={t('wizard.sizeGb')}
          description={t('wizard.sizeHelp')}
          initialBytes={wish.partBytes}
          unitBytes={rowBytes || BLOCK_BYTES}
          onChange={(partBytes) => onChange({ partBytes })}
        />
      )}
    </Stack>
  )
}
