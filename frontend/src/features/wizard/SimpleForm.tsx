import { Checkbox, NativeSelect, Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Controller } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { word } from '@/entities/states/words'
import { alikeDrives, GOALS, type Goal, suggest } from '@/entities/wishes/suggest'
import type { Wish } from '@/entities/wishes/wish'
import classes from '@/ui/Choosing.module.css'
import { Panel } from '@/ui/Panel'

interface SimpleFormProps {
  wish: Wish
  controller: Controller
  inventory: Inventory
  onChange: (part: Partial<Wish>) => void
}

export function SimpleForm({ wish, controller, inventory, onChange }: SimpleFormProps) {
  const { t } = useTranslation()
  const own = inventory.drives.filter((drive) => drive.controller_id === controller.id)
  const free = alikeDrives(own).length
  const suggestion = suggest(wish.goal, controller.levels, own)
  return (
    <Panel title={t('wizard.goal')}>
      <Radio.Group
        aria-label={t('wizard.goal')}
        value={wish.goal}
        onChange={(goal) => onChange({ goal: goal as Goal, count: null })}
      >
        <div className={classes.cards}>
          {GOALS.map((goal) => (
            <Radio
              key={goal}
              value={goal}
              label={t(`wizard.goals.${goal}.label`)}
              description={t(`wizard.goals.${goal}.help`)}
              className={classes.card ?? ''}
            />
          ))}
        </div>
      </Radio.Group>
      {suggestion && wish.level ? (
        <Stack gap="sm" mt="md">
          <p className={classes.note}>
            {t('wizard.suggested', {
              level: word('raidLevel', wish.level),
              count: wish.driveIds.length,
            })}
          </p>
          <NativeSelect
            label={t('wizard.countLabel')}
            description={t('wizard.countHelp', { free })}
            value={String(wish.count)}
            data={suggestion.counts.map(String)}
            maw={220}
            onChange={(event) => onChange({ count: Number(event.currentTarget.value) })}
          />
          {wish.goal !== 'scratch' && suggestion.drives.length > wish.driveIds.length && (
            <Checkbox
              label={t('wizard.keepSpare')}
              description={t('wizard.keepSpareHelp')}
              checked={wish.keepSpare}
              onChange={(event) => onChange({ keepSpare: event.currentTarget.checked })}
            />
          )}
        </Stack>
      ) : (
        <p className={classes.note} role="status">
          {t('wizard.goalUnavailable', { count: free })}
        </p>
      )}
    </Panel>
  )
}
