import { useQuery } from '@tanstack/react-query'
import { Tag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type HostRow, hostNamesQuery } from '@/api/hosts'
import { Dropdown } from '@/ui/Dropdown'
import { Loaded } from '@/ui/Loaded'
import { TogglePills } from '@/ui/TogglePills'
import classes from './LabelFilter.module.css'

interface LabelFilterProps {
  /** Those on the screen: if they have labels, others may have more. */
  hosts: readonly HostRow[]
  values: readonly string[]
  onChange: (values: string[]) => void
}

/** Hosts with all chosen labels. Nothing is shown where no host has labels. */
export function LabelFilter({ hosts, values, onChange }: LabelFilterProps) {
  const { t } = useTranslation()
  if (values.length === 0 && hosts.every((host) => host.labels.length === 0)) return null
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
      {() => <Labels values={values} onChange={onChange} />}
    </Dropdown>
  )
}

/** The labels of the whole fleet, asked for when somebody chooses. */
function Labels({ values, onChange }: Omit<LabelFilterProps, 'hosts'>) {
  const { t } = useTranslation()
  const named = useQuery(hostNamesQuery)
  return (
    <div className={classes.options}>
      <Loaded query={named} rows={1}>
        {(hosts) => (
          <TogglePills
            label={t('fleet.labelsHelp')}
            // A chosen label stays to be taken back, also when its last host is gone.
            options={[...new Set([...hosts.flatMap((host) => host.labels), ...values])]
              .sort()
              .map((label) => ({ value: label, label }))}
            values={values}
            mayBeEmpty
            onChange={onChange}
          />
        )}
      </Loaded>
    </div>
  )
}
