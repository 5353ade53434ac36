import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { decimalMark, formatBytes } from '@/lib/format'

const GB = 1_000_000_000

interface SizeFieldProps {
  label: string
  description: string
  /** What the field begins with; null: with nothing. */
  initialBytes: number | null
  /** Sizes are whole numbers of these, rounded down. */
  unitBytes: number
  /** The smallest size; one unit if absent. */
  minimumBytes?: number | undefined
  maximumBytes?: number | undefined
  /** Told of every change: null while the field holds no size that can be had. */
  onChange: (bytes: number | null) => void
}

/** A size in GB. What is empty or out of bounds is an error here and never a default. */
export function SizeField(props: SizeFieldProps) {
  const { label, description, initialBytes, unitBytes, maximumBytes, onChange } = props
  const minimumBytes = props.minimumBytes ?? unitBytes
  const { t } = useTranslation()
  const [gigabytes, setGigabytes] = useState<number | string>(
    initialBytes === null ? '' : initialBytes / GB,
  )

  const bytesOf = (value: number | string) =>
    Math.floor(Math.round(Number(value) * GB) / unitBytes) * unitBytes

  const problemOf = (value: number | string) => {
    if (value === '' || !Number.isFinite(Number(value))) return t('common.sizeMissing')
    if (bytesOf(value) < minimumBytes) {
      return t('common.sizeTooSmall', { size: formatBytes(minimumBytes) })
    }
    if (maximumBytes !== undefined && bytesOf(value) > maximumBytes) {
      return t('common.sizeTooLarge', { size: formatBytes(maximumBytes) })
    }
    return undefined
  }

  return (
    <NumberInput
      label={label}
      description={description}
      maw={280}
      decimalScale={6}
      decimalSeparator={decimalMark()}
      allowedDecimalSeparators={['.', ',']}
      value={gigabytes}
      error={problemOf(gigabytes)}
      onChange={(value) => {
        setGigabytes(value)
        onChange(problemOf(value) === undefined ? bytesOf(value) : null)
      }}
    />
  )
}
