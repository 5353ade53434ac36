import { NativeSelect, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { word } from '@/entities/states/words'
import { ActionButton } from '@/ui/ActionButton'
import { Panel } from '@/ui/Panel'
import { TogglePills } from '@/ui/TogglePills'
import { DriveSelect, StripSelect, WordSelect } from './ArrayFields'
import { IO_POLICIES, LEVELS, POLICIES, READ_POLICIES } from './array-words'
import { CacheSelect, ControllerSelect, EffortSelect, ExpanderSelect } from './ControllerFields'
import { cacheOf, ioPolicyOf, offeredPolicies, policiesOf } from './controller-choices'
import { workloadLabel } from './figures'
import classes from './Lab.module.css'
import { QuirkSwitches } from './QuirkSwitches'
import {
  CONTROLLERS,
  COUNTS,
  DRIVE_CACHES,
  FAILURES,
  type LabChoices,
  type LabSearch,
} from './search'

interface LabFormProps {
  choices: LabChoices
  catalogue: LabCatalogue
  canRun: boolean
  onChange: (change: LabSearch) => void
  onRun: () => void
}

export function LabForm(props: LabFormProps) {
  const { t } = useTranslation()
  const { choices, catalogue, canRun, onChange, onRun } = props
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  const workload = catalogue.workloads.find(({ name }) => name === choices.load)
  const offered = LEVELS.filter((level) => controller?.levels.some((each) => each.level === level))
  // A chosen level stays visible when another controller does not offer it: the answer says why.
  const levels = LEVELS.filter((level) => offered.includes(level) || choices.levels.includes(level))
  const policies = controller ? offeredPolicies(choices, controller) : POLICIES
  return (
    <Panel title={t('lab.form')}>
      <Stack gap="md">
        <Models {...props} />
        <div className={classes.pills}>
          <TogglePills
            label={t('lab.levels')}
            options={levels.map((value) => ({ value, label: word('raidLevel', value) }))}
            values={choices.levels}
            onChange={(next) => onChange({ levels: next })}
          />
          <TogglePills
            label={t('lab.counts')}
            options={COUNTS.map((value) => ({
              value,
              label: value === '1' ? t('lab.singleCount') : value,
            }))}
            values={choices.counts}
            onChange={(counts) => onChange({ counts })}
          />
          <TogglePills
            label={t('lab.policies')}
            options={policies.map((value) => ({ value, label: word('policyWord', value) }))}
            values={controller ? policiesOf(choices, controller) : choices.policies}
            onChange={(policies) => onChange({ policies })}
          />
          <TogglePills
            label={t('lab.failures')}
            options={FAILURES.map((value) => ({ value, label: t(`lab.failureCounts.${value}`) }))}
            values={choices.failures}
            onChange={(failures) => onChange({ failures })}
          />
        </div>
        {choices.counts.includes('1') && !choices.levels.includes('raid0') && (
          <p className={classes.muted}>{t('lab.singleHint')}</p>
        )}
        {policies.length < POLICIES.length && (
          <p className={classes.muted}>{t('lab.noWriteBack')}</p>
        )}
        {controller && <QuirkSwitches controller={controller} {...{ choices, onChange }} />}
        {workload && workload.assumed.length > 0 && (
          <p className={classes.muted}>{t('lab.assumed', { what: workload.assumed.join('; ') })}</p>
        )}
        <div>
          <ActionButton size="md" disabled={!canRun} onClick={onRun}>
            {t('lab.simulate')}
          </ActionButton>
        </div>
      </Stack>
    </Panel>
  )
}

function Models(props: LabFormProps) {
  const { t } = useTranslation()
  const { choices, catalogue, onChange } = props
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
      <ControllerSelect {...props} />
      <NativeSelect
        label={t('lab.controllers')}
        value={choices.controllers}
        data={CONTROLLERS.map((value) => ({ value, label: t(`lab.controllerCounts.${value}`) }))}
        onChange={(event) =>
          onChange({ controllers: event.currentTarget.value as LabChoices['controllers'] })
        }
      />
      <DriveSelect
        catalogue={catalogue}
        value={choices.drive}
        onChange={(drive) => onChange({ drive })}
      />
      <NativeSelect
        label={t('lab.load')}
        value={choices.load}
        data={catalogue.workloads.map((each) => ({
          value: each.name,
          label: workloadLabel(each),
        }))}
        onChange={(event) => onChange({ load: event.currentTarget.value })}
      />
      <EffortSelect {...props} of="efforts" />
      <StripSelect
        controller={controller}
        value={choices.strip}
        onChange={(strip) => onChange({ strip })}
      />
      <WordSelect
        label={t('lab.reading')}
        words={READ_POLICIES}
        catalogue="policyWord"
        value={choices.reading}
        onChange={(reading) => onChange({ reading })}
      />
      <WordSelect
        label={t('lab.io')}
        words={IO_POLICIES}
        catalogue="policyWord"
        disabled={controller !== undefined && cacheOf(choices, controller) === 0}
        value={controller ? ioPolicyOf(choices, controller) : choices.io}
        onChange={(io) => onChange({ io })}
      />
      <WordSelect
        label={t('lab.driveCache')}
        words={DRIVE_CACHES}
        catalogue="policyWord"
        value={choices.driveCache}
        onChange={(driveCache) => onChange({ driveCache })}
      />
      <CacheSelect {...props} />
      <ExpanderSelect {...props} />
    </SimpleGrid>
  )
}
