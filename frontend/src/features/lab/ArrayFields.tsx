import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ControllerModel, LabCatalogue } from '@/api/types'
import { word } from '@/entities/states/words'
import { formatBytes, formatStrip } from '@/lib/format'

interface FieldProps<Value> {
  value: Value
  onChange: (value: Value) => void
}

interface DriveSelectProps extends FieldProps<string> {
  catalogue: LabCatalogue
}

export function DriveSelect({ catalogue, value, onChange }: DriveSelectProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('lab.drive')}
      value={value}
      data={catalogue.drives.map((drive) => ({
        value: drive.name,
        label: t('lab.driveOption', {
          model: drive.model,
          size: formatBytes(drive.capacity_bytes),
          kind: drive.rpm > 0 ? t('lab.rpm', { rpm: drive.rpm }) : t('lab.ssd'),
        }),
      }))}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface StripSelectProps extends FieldProps<number> {
  controller: ControllerModel | undefined
}

export function StripSelect({ controller, value, onChange }: StripSelectProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('lab.strip')}
      value={String(value)}
      data={(controller?.strip_sizes_bytes ?? [value]).map((bytes) => ({
        value: String(bytes),
        label: formatStrip(bytes),
      }))}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  )
}

interface WordSelectProps<Word extends string> extends FieldProps<Word> {
  label: string
  words: readonly Word[]
  catalogue: 'policyWord' | 'raidLevel'
  disabled?: boolean
}

/** One of the words of the protocol. */
export function WordSelect<Word extends string>(props: WordSelectProps<Word>) {
  const { label, words, catalogue, disabled = false, value, onChange } = props
  return (
    <NativeSelect
      label={label}
      disabled={disabled}
      value={value}
      data={words.map((each) => ({ value: each, label: word(catalogue, each) }))}
      onChange={(event) => onChange(event.currentTarget.value as Word)}
    />
  )
}
