import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { formatRate, formatStrip } from '@/lib/format'
import { cacheOf, cachesOf } from './controller-choices'
import { EFFORTS, type Effort, EXPANDERS, type LabChoices, type LabSearch } from './search'

interface ControllerFieldsProps {
  choices: LabChoices
  catalogue: LabCatalogue
  onChange: (change: LabSearch) => void
}

export function ControllerSelect({ choices, catalogue, onChange }: ControllerFieldsProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('lab.controller')}
      value={choices.controller}
      data={catalogue.controllers.map(({ name, model }) => ({ value: name, label: model }))}
      onChange={(event) => onChange({ controller: event.currentTarget.value, quirks: undefined })}
    />
  )
}

export function CacheSelect({ choices, catalogue, onChange }: ControllerFieldsProps) {
  const { t } = useTranslation()
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  const cacheMib = controller ? cacheOf(choices, controller) : choices.cacheMib
  const offered = controller ? cachesOf(controller) : []
  // A size out of the address that is not on the list stays what is simulated.
  const caches = offered.includes(cacheMib) ? offered : [...offered, cacheMib]
  return (
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
  )
}

export function ExpanderSelect({ choices, onChange }: ControllerFieldsProps) {
  const { t } = useTranslation()
  const known = EXPANDERS.find(({ rate }) => rate === choices.expander)
  return (
    <NativeSelect
      label={t('lab.expander')}
      value={String(choices.expander)}
      data={[
        { value: '0', label: t('lab.expanderNone') },
        ...EXPANDERS.map(({ lanes, gigabits, rate }) => ({
          value: String(rate),
          label: t('lab.expanderOption', { lanes, gigabits, rate: formatRate(rate) }),
        })),
        // As with caches: what the address says stays.
        ...(known || choices.expander === 0
          ? []
          : [{ value: String(choices.expander), label: formatRate(choices.expander) }]),
      ]}
      onChange={(event) => onChange({ expander: Number(event.currentTarget.value) || undefined })}
    />
  )
}

interface EffortSelectProps extends ControllerFieldsProps {
  /** What the requests are counted for. */
  of: 'efforts' | 'groupEfforts'
}

export function EffortSelect({ choices, onChange, of }: EffortSelectProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t(of === 'efforts' ? 'lab.effort' : 'lab.groupEffort')}
      value={choices.effort}
      data={(Object.keys(EFFORTS) as Effort[]).map((value) => ({
        value,
        label: t(`lab.${of}.${value}`),
      }))}
      onChange={(event) => onChange({ effort: event.currentTarget.value as Effort })}
    />
  )
}
