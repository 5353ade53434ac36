import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PolicyPreset } from '@/api/types'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { type Column, DataTable } from '@/ui/DataTable'
import classes from './PresetTable.module.css'
import { type Policies, policiesOf } from './presets'

const HEADERS = [
  ['write_policy', 'vd.write'],
  ['read_policy', 'vd.read'],
  ['io_policy', 'vd.io'],
  ['drive_cache_policy', 'vd.driveCache'],
  ['degraded_policy', 'vd.degraded'],
] as const satisfies [keyof Policies, string][]

const columns = (): Column<PolicyPreset>[] => [
  {
    id: 'preset',
    header: i18n.t('policy.preset'),
    isRowHeader: true,
    cell: ({ name }) => word('presetName', name),
  },
  ...HEADERS.map(
    ([name, header]): Column<PolicyPreset> => ({
      id: name,
      header: i18n.t(header),
      cell: (preset) => word('policyWord', policiesOf(preset)[name]),
    }),
  ),
]

interface PresetTableProps {
  presets: PolicyPreset[]
  chosen: PolicyPreset | null
}

/** What each preset does, side by side, before one is chosen. */
export function PresetTable({ presets, chosen }: PresetTableProps) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className={classes.compare}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t('policy.presetCompare')}</summary>
      {/* A closed table has no width to tell whether it scrolls. */}
      {isOpen && (
        <DataTable
          label={t('policy.presetTable')}
          columns={columns()}
          rows={presets}
          rowId={(preset) => preset.name}
          rowTone={(preset) => (preset.name === chosen?.name ? 'selected' : undefined)}
        />
      )}
      <p>{t('policy.presetAlways')}</p>
    </details>
  )
}
