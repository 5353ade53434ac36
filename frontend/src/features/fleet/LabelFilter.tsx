import { Tag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Host } from '@/api/types'
import { Dropdown } from '@/ui/Dropdown'
import { TogglePills } from '@/ui/TogglePills'
import classes from './LabelFilter.module.css'

interface LabelFilterProps {
  hosts: readonly Host[]
  values: readonly string[]
  onChange: (values: string[]) => void
}

/** Hosts with all chosen labels. Nothing is shown where no host has labels. */
export function LabelFilter({ hosts, values, onChange }: LabelFilterProps) {
  const { t } = useTranslation()
  // A chosen label stays to be taken back, also when its last host is gone.
  const labels = [...new Set([...hosts.flatMap((host) => host.labels), ...values])].sort()
  if (labels.length === 0) return null
  const title =
    values.length > 0 ? t('fleet.labelsChosen', { labels: values.join(' ') }) : t('fleet.labels')

  return (
    <Dropdown
      label={title}
      align="start"
      trigger={
        <>
          <Tag size={15} aria-hidden />
          <span className={classes.chosen}>{title}</span>
        </>
      }
    >
      {() => (
        <div className={classes.options}>
          <TogglePills
            label={t('fleet.labelsHelp')}
            options={labels.map((label) => ({ value: label, label }))}
            values={values}
            mayBeEmpty
            onChange={onChange}
          />
        </div>
      )}
    </Dropdown>
  )
}
