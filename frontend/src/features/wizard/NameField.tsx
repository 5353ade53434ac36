import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { NAME_PATTERN } from '@/entities/virtual-drives/policy-options'
import type { Wish } from '@/entities/wishes/wish'

interface NameFieldProps {
  wish: Wish
  onChange: (part: Partial<Wish>) => void
}

export function NameField({ wish, onChange }: NameFieldProps) {
  const { t } = useTranslation()
  const isGood = wish.name === '' || NAME_PATTERN.test(wish.name)
  return (
    <TextInput
      label={t('wizard.name')}
      description={t('wizard.nameHelp')}
      value={wish.name}
      maxLength={15}
      maw={320}
      autoComplete="off"
      spellCheck={false}
      error={isGood ? undefined : t('wizard.nameHelp')}
      onChange={(event) => onChange({ name: event.currentTarget.value })}
    />
  )
}
