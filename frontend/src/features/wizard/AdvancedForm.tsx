import { Radio } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Controller, DriveGroup, LevelRule, RaidLevel } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { word } from '@/entities/states/words'
import type { Wish } from '@/entities/wishes/wish'
import { formatBytes } from '@/lib/format'
import { levelText } from '@/lib/told'
import classes from '@/ui/Choosing.module.css'
import { Panel } from '@/ui/Panel'
import { DrivePicker } from './DrivePicker'
import { SettingsForm } from './SettingsForm'
import { SparePicker } from './SparePicker'

export interface AdvancedFormProps {
  wish: Wish
  controller: Controller
  inventory: Inventory
  group: DriveGroup | undefined
  rowBytes: number | undefined
  onChange: (part: Partial<Wish>) => void
}

export function AdvancedForm(props: AdvancedFormProps) {
  const { t } = useTranslation()
  const { wish, controller, group, onChange } = props
  if (group) {
    return (
      <>
        <p>
          {t('wizard.inGroup', {
            group: group.path,
            level: word('raidLevel', group.level),
            free: formatBytes(group.free_bytes),
          })}
        </p>
        <SettingsForm {...props} />
      </>
    )
  }
  return (
    <>
      <Panel title={t('wizard.level')}>
        <Radio.Group
          aria-label={t('wizard.level')}
          value={wish.level}
          onChange={(level) => onChange({ level: level as RaidLevel, drivesPerSpan: null })}
        >
          <div className={classes.cards}>
            {controller.levels.map((rule) => (
              <LevelCard key={rule.level} rule={rule} />
            ))}
          </div>
        </Radio.Group>
      </Panel>
      <DrivePicker {...props} />
      <SettingsForm {...props} />
      <SparePicker {...props} />
    </>
  )
}

/** The rule's own words; how many drives it takes comes from the controller too. */
function LevelCard({ rule }: { rule: LevelRule }) {
  const { t } = useTranslation()
  const counts = { min: rule.drives_min, max: rule.drives_max, multiple: rule.drives_multiple }
  const needs =
    rule.drives_multiple > 1
      ? t('wizard.levelNeedsMultiple', counts)
      : t('wizard.levelNeeds', counts)
  return (
    <Radio
      value={rule.level}
      label={word('raidLevel', rule.level)}
      description={`${levelText(rule)} ${needs}`}
      className={classes.card ?? ''}
    />
  )
}
