import { NumberInput } from '@mantine/core'
import { useState } from 'react'

interface NumberFieldProps {
  label: string
  value: number
  min: number
  max: number
  onCommit: (value: number) => void
}

/** A whole number that counts once it is typed to its end: what it changes stands in the address. */
export function NumberField({ label, value, min, max, onCommit }: NumberFieldProps) {
  const [draft, setDraft] = useState<number | string>()
  function commit() {
    setDraft(undefined)
    if (draft === undefined || draft === '') return
    const next = Math.min(max, Math.max(min, Math.round(Number(draft))))
    if (next !== value) onCommit(next)
  }
  return (
    <NumberInput
      label={label}
      value={draft ?? value}
      min={min}
      max={max}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      onChange={setDraft}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
      }}
    />
  )
}
