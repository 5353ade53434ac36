import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PolicyPreset } from '@/api/types'
import { word } from '@/entities/states/words'
import { PresetTable } from './PresetTable'

interface PresetSelectProps {
  presets: PolicyPreset[]
  value: PolicyPreset | null
  onChange: (preset: PolicyPreset | null) => void
}

/** The bundles of policies the controller's model offers; nothing where it offers none. */
export function PresetSelect({ presets, value, onChange }: PresetSelectProps) {
  const { t } = useTranslation()
  if (presets.length === 0) return null
  return (
    <div>
      <NativeSelect
        label={t('policy.preset')}
        description={t('policy.presetHelp')}
        value={value?.name ?? ''}
        data={[
          { value: '', label: t('policy.presetNone') },
          ...presets.map(({ name }) => ({ value: name, label: word('presetName', name) })),
        ]}
        onChange={(event) => {
          const { value: name } = event.currentTarget
          onChange(presets.find((preset) => preset.name === name) ?? null)
        }}
      />
      <PresetTable presets={presets} chosen={value} />
    </div>
  )
}
