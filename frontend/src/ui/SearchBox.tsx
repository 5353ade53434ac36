import { CloseButton, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

interface SearchBoxProps {
  label: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
}

/** Writes through to its owner at each key; the owner keeps it in the URL. */
export function SearchBox({ label, placeholder, value, onChange }: SearchBoxProps) {
  const { t } = useTranslation()
  // The address is written asynchronously; typing must not wait for it.
  const [draft, setDraft] = useState<string | null>(null)
  const shown = draft ?? value

  function change(next: string) {
    setDraft(next)
    onChange(next)
  }

  return (
    <TextInput
      type="search"
      size="sm"
      aria-label={label}
      placeholder={placeholder ?? ''}
      value={shown}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={
        shown && (
          <CloseButton size="sm" aria-label={t('common.clearFilters')} onClick={() => change('')} />
        )
      }
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => setDraft(null)}
    />
  )
}
