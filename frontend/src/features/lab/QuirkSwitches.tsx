import { Checkbox, SimpleGrid } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ControllerModel } from '@/api/types'
import { quirksOf } from './controller-choices'
import classes from './Lab.module.css'
import type { LabChoices, LabSearch } from './search'

interface QuirkSwitchesProps {
  controller: ControllerModel
  choices: LabChoices
  onChange: (change: LabSearch) => void
}

/** "raid50-deep-queue-weak" as a person writes it. */
const spoken = (name: string) =>
  (name.charAt(0).toUpperCase() + name.slice(1))
    .replaceAll('-', ' ')
    .replace(/\braid(\d+)/gi, 'RAID $1')

/** What the reviewers of a model saw and could not explain; off unless somebody wants it. */
export function QuirkSwitches({ controller, choices, onChange }: QuirkSwitchesProps) {
  const { t } = useTranslation()
  const on = quirksOf(choices, controller)
  if (controller.quirks.length === 0) return null
  const toggle = (name: string) => {
    const next = on.includes(name) ? on.filter((each) => each !== name) : [...on, name]
    onChange({ quirks: next.length > 0 ? next : undefined })
  }
  return (
    <fieldset className={classes.quirks}>
      <legend>{t('lab.quirks')}</legend>
      <p className={classes.muted}>{t('lab.quirksHint')}</p>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {controller.quirks.map(({ name, text }) => (
          <Checkbox
            key={name}
            label={spoken(name)}
            description={text}
            checked={on.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </SimpleGrid>
    </fieldset>
  )
}
