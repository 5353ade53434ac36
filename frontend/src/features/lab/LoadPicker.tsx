import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue, WorkloadModel } from '@/api/types'
import { sizeText, stepLabels, workloadLabel } from './figures'
import classes from './Lab.module.css'
import {
  moreLoad,
  namedLoad,
  namedText,
  OWN,
  OWN_BYTES,
  OWN_DEPTHS,
  OWN_PATTERNS,
  type OwnLoad,
  ownOf,
  ownText,
  STEP_AXES,
  type Steps,
} from './more-loads'
import { NumberField } from './NumberField'

const FIRST: Steps = { mixes: 0, write_percents: 0, workers: 0, depths: 0 }
const OWN_LOAD: OwnLoad = { pattern: 'random', bytes: 8192, writePercent: 0, depth: 16 }
export const OWN_FIRST = ownText(OWN_LOAD)

/** Out of an address may come what is not on the list. */
const withChosen = (list: readonly number[], chosen: number) =>
  list.includes(chosen) ? list : [...list, chosen].toSorted((a, b) => a - b)

interface LoadPickerProps {
  /** Undefined while it is not known: then there are one's own loads only. */
  catalogue: LabCatalogue | undefined
  /** As more-loads.ts writes it. */
  text: string
  onChange: (text: string) => void
}

/** A load of the reviews with one step of each of its axes, or one's own. */
export function LoadPicker({ catalogue, text, onChange }: LoadPickerProps) {
  const { t } = useTranslation()
  const named = namedLoad(text)
  const workload = catalogue?.workloads.find(({ name }) => name === named?.name)
  return (
    <>
      <NativeSelect
        label={t('measure.kind')}
        value={workload?.name ?? OWN}
        data={[
          { value: OWN, label: t('measure.own') },
          ...(catalogue?.workloads ?? []).map((each) => ({
            value: each.name,
            label: workloadLabel(each),
          })),
        ]}
        onChange={(event) => {
          const kind = event.currentTarget.value
          onChange(kind === OWN ? OWN_FIRST : namedText(kind, FIRST))
        }}
      />
      {workload && named ? (
        <StepSelects
          workload={workload}
          at={named.at}
          onChange={(at) => onChange(namedText(workload.name, at))}
        />
      ) : (
        <OwnFields own={ownOf(text) ?? OWN_LOAD} onChange={(own) => onChange(ownText(own))} />
      )}
    </>
  )
}

/** What the reviews leave open of a load. */
export function AssumedNote({ catalogue, text }: Omit<LoadPickerProps, 'onChange'>) {
  const { t } = useTranslation()
  const assumed = moreLoad(text, catalogue)?.workload?.assumed ?? []
  if (assumed.length === 0) return null
  return <p className={classes.muted}>{t('lab.assumed', { what: assumed.join('; ') })}</p>
}

interface StepSelectsProps {
  workload: WorkloadModel
  at: Steps
  onChange: (at: Steps) => void
}

function StepSelects({ workload, at, onChange }: StepSelectsProps) {
  const { t } = useTranslation()
  return STEP_AXES.filter((axis) => workload[axis].length > 1).map((axis) => (
    <NativeSelect
      key={axis}
      label={t(`measure.axes.${axis}`)}
      value={String(at[axis])}
      data={stepLabels(workload, axis).map((label, index) => ({ value: String(index), label }))}
      onChange={(event) => onChange({ ...at, [axis]: Number(event.currentTarget.value) })}
    />
  ))
}

function OwnFields({ own, onChange }: { own: OwnLoad; onChange: (own: OwnLoad) => void }) {
  const { t } = useTranslation()
  return (
    <>
      <NativeSelect
        label={t('measure.pattern')}
        value={own.pattern}
        data={OWN_PATTERNS.map((value) => ({ value, label: t(`measure.patterns.${value}`) }))}
        onChange={(event) =>
          onChange({ ...own, pattern: event.currentTarget.value as OwnLoad['pattern'] })
        }
      />
      <NativeSelect
        label={t('measure.axes.mixes')}
        value={String(own.bytes)}
        data={withChosen(OWN_BYTES, own.bytes).map((bytes) => ({
          value: String(bytes),
          label: sizeText([{ bytes, percent: 100 }]),
        }))}
        onChange={(event) => onChange({ ...own, bytes: Number(event.currentTarget.value) })}
      />
      <NumberField
        label={t('measure.writeShare')}
        value={own.writePercent}
        min={0}
        max={100}
        onCommit={(writePercent) => onChange({ ...own, writePercent })}
      />
      <NativeSelect
        label={t('measure.axes.depths')}
        value={String(own.depth)}
        data={withChosen(OWN_DEPTHS, own.depth).map(String)}
        onChange={(event) => onChange({ ...own, depth: Number(event.currentTarget.value) })}
      />
    </>
  )
}
