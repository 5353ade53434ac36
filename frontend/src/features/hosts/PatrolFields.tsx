import { NativeSelect, NumberInput, Stack, Switch, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { word } from '@/entities/states/words'
import classes from './PatrolFields.module.css'
import { PATROL_MODES, type PatrolDraft, patrolFaults } from './patrol-draft'

interface PatrolFieldsProps {
  draft: PatrolDraft
  before: PatrolDraft
  onChange: (draft: PatrolDraft) => void
}

export function PatrolFields({ draft, before, onChange }: PatrolFieldsProps) {
  const { t } = useTranslation()
  const faults = patrolFaults(draft, before)
  const change = (part: Partial<PatrolDraft>) => onChange({ ...draft, ...part })
  return (
    <fieldset className={classes.fields}>
      <legend>{t('patrol.title')}</legend>
      <Stack gap="md">
        <NativeSelect
          label={t('patrol.begins')}
          value={draft.mode}
          data={PATROL_MODES.map((value) => ({ value, label: word('patrolMode', value) }))}
          onChange={(event) => {
            const mode = PATROL_MODES.find((value) => value === event.currentTarget.value)
            if (mode) change({ mode })
          }}
        />
        {draft.mode === 'auto' && (
          <>
            <NumberInput
              label={t('patrol.settings.delay')}
              description={t('patrol.settings.delayHelp')}
              value={draft.delay}
              onChange={(delay) => change({ delay })}
              min={0}
              max={8760}
              allowDecimal={false}
              clampBehavior="none"
              error={faults.delay ? t('patrol.settings.delayRange') : undefined}
            />
            <TextInput
              type="datetime-local"
              label={t('patrol.settings.next')}
              description={t('patrol.settings.nextHelp')}
              value={draft.next}
              error={faults.next ? t('patrol.settings.nextPast') : undefined}
              onChange={(event) => change({ next: event.currentTarget.value })}
            />
          </>
        )}
        <NumberInput
          label={t('patrol.settings.rate')}
          description={t('controller.rateHelp')}
          value={draft.rate}
          onChange={(rate) => change({ rate })}
          min={0}
          max={100}
          allowDecimal={false}
          clampBehavior="none"
          error={faults.rate ? t('controller.rateRange') : undefined}
        />
        <NumberInput
          label={t('patrol.settings.drives')}
          value={draft.drives}
          onChange={(drives) => change({ drives })}
          min={1}
          max={255}
          allowDecimal={false}
          clampBehavior="none"
          error={faults.drives ? t('patrol.settings.drivesRange') : undefined}
        />
        <Switch
          label={t('patrol.settings.ssds')}
          checked={draft.ssds}
          onChange={({ currentTarget: { checked } }) => change({ ssds: checked })}
        />
      </Stack>
    </fieldset>
  )
}
