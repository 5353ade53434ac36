import { NativeSelect, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { word } from '@/features/states/words'
import { formatBytes, formatStrip } from '@/lib/format'
import { ActionButton } from '@/ui/ActionButton'
import { Panel } from '@/ui/Panel'
import { TogglePills } from '@/ui/TogglePills'
import { cacheOf, cachesOf, ioPolicyOf, offeredPolicies, policiesOf } from './controller-choices'
import { workloadLabel } from './figures'
import classes from './Lab.module.css'
import { QuirkSwitches } from './QuirkSwitches'
import {
  CONTROLLERS,
  COUNTS,
  DRIVE_CACHES,
  EFFORTS,
  type Effort,
  FAILURES,
  IO_POLICIES,
  type LabChoices,
  type LabSearch,
  LEVELS,
  POLICIES,
  READ_POLICIES,
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

function Models({ choices, catalogue, onChange }: LabFormProps) {
  const { t } = useTranslation()
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  const cacheMib = controller ? cacheOf(choices, controller) : choices.cacheMib
  const offered = controller ? cachesOf(controller) : []
  // A size out of the address that is not on the list stays what is simulated.
  const caches = offered.includes(cacheMib) ? offered : [...offered, cacheMib]
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
      <NativeSelect
        label={t('lab.controller')}
        value={choices.controller}
        data={catalogue.controllers.map(({ name, model }) => ({ value: name, label: model }))}
        onChange={(event) => onChange({ controller: event.currentTarget.value, quirks: undefined })}
      />
      <NativeSelect
        label={t('lab.controllers')}
        value={choices.controllers}
        data={CONTROLLERS.map((value) => ({ value, label: t(`lab.controllerCounts.${value}`) }))}
        onChange={(event) =>
          onChange({ controllers: event.currentTarget.value as LabChoices['controllers'] })
        }
      />
      <NativeSelect
        label={t('lab.drive')}
        value={choices.drive}
        data={catalogue.drives.map((drive) => ({
          value: drive.name,
          label: t('lab.driveOption', {
            model: drive.model,
            size: formatBytes(drive.capacity_bytes),
            kind: drive.rpm > 0 ? t('lab.rpm', { rpm: drive.rpm }) : t('lab.ssd'),
          }),
        }))}
        onChange={(event) => onChange({ drive: event.currentTarget.value })}
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
      <NativeSelect
        label={t('lab.effort')}
        value={choices.effort}
        data={(Object.keys(EFFORTS) as Effort[]).map((value) => ({
          value,
          label: t(`lab.efforts.${value}`),
        }))}
        onChange={(event) => onChange({ effort: event.currentTarget.value as Effort })}
      />
      <NativeSelect
        label={t('lab.strip')}
        value={String(choices.strip)}
        data={(controller?.strip_sizes_bytes ?? [choices.strip]).map((bytes) => ({
          value: String(bytes),
          label: formatStrip(bytes),
        }))}
        onChange={(event) => onChange({ strip: Number(event.currentTarget.value) })}
      />
      <NativeSelect
        label={t('lab.reading')}
        value={choices.reading}
        data={READ_POLICIES.map((value) => ({ value, label: word('policyWord', value) }))}
        onChange={(event) =>
          onChange({ reading: event.currentTarget.value as LabChoices['reading'] })
        }
      />
      <NativeSelect
        label={t('lab.io')}
        disabled={cacheMib === 0}
        value={controller ? ioPolicyOf(choices, controller) : choices.io}
        data={IO_POLICIES.map((value) => ({ value, label: word('policyWord', value) }))}
        onChange={(event) => onChange({ io: event.currentTarget.value as LabChoices['io'] })}
      />
      <NativeSelect
        label={t('lab.driveCache')}
        value={choices.driveCache}
        data={DRIVE_CACHES.map((value) => ({ value, label: word('policyWord', value) }))}
        onChange={(event) =>
          onChange({ driveCache: event.currentTarget.value as LabChoices['driveCache'] })
        }
      />
      <NativeSelect
        label={t('lab.controllerCache')}
        disabled={controller?.has_cache === false}
        value={String(cacheMib)}
        data={caches.map((mib) => ({
          value: String(mib),
          label: mib === 0 ? t('lab.cacheNone') : formatStrip(mib * 1024 * 1024),
        }))}
        onChange={(event) => onChange({ cache: Number(event.currentTarget.value) })}
      />
    </SimpleGrid>
  )
}
