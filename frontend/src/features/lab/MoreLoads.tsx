import { ActionIcon, NativeSelect, NumberInput, SimpleGrid } from '@mantine/core'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue, WorkloadModel } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { ActionButton } from '@/ui/ActionButton'
import { sizeText, stepLabels, workloadLabel } from './figures'
import classes from './Lab.module.css'
import {
  LOADS_MAX,
  type MoreLoad,
  namedText,
  OWN,
  OWN_BYTES,
  OWN_DEPTHS,
  OWN_PATTERNS,
  type OwnLoad,
  ownText,
  STEP_AXES,
  type Steps,
} from './more-loads'

interface MoreLoadsProps {
  /** Undefined while it is not known: then there are one's own loads only. */
  catalogue: LabCatalogue | undefined
  loads: MoreLoad[]
  /** Those of the pills count too. */
  count: number
  onChange: (texts: string[]) => void
}

const FIRST: Steps = { mixes: 0, write_percents: 0, workers: 0, depths: 0 }

/** Loads of the reviews and one's own, besides those that are offered by a pill. */
export function MoreLoads({ catalogue, loads, count, onChange }: MoreLoadsProps) {
  const { t } = useTranslation()
  const [kind, setKind] = useState<string>(OWN)
  const [at, setAt] = useState<Steps>(FIRST)
  const [own, setOwn] = useState<OwnLoad>({
    pattern: 'random',
    bytes: 8192,
    writePercent: 0,
    depth: 16,
  })
  const workload = catalogue?.workloads.find(({ name }) => name === kind)
  const text = workload ? namedText(workload.name, at) : ownText(own)
  const texts = loads.map((each) => each.text)
  const full = count >= LOADS_MAX
  return (
    <fieldset className={classes.more}>
      <legend>{t('measure.more')}</legend>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
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
            setKind(event.currentTarget.value)
            setAt(FIRST)
          }}
        />
        {workload ? (
          <StepSelects workload={workload} at={at} onChange={setAt} />
        ) : (
          <OwnFields own={own} onChange={setOwn} />
        )}
      </SimpleGrid>
      {workload && workload.assumed.length > 0 && (
        <p className={classes.muted}>{t('lab.assumed', { what: workload.assumed.join('; ') })}</p>
      )}
      <div>
        <ActionButton
          variant="default"
          disabled={texts.includes(text)}
          blockedReason={full ? t('measure.full', { max: LOADS_MAX }) : undefined}
          onClick={() => onChange([...texts, text])}
        >
          {t('measure.add')}
        </ActionButton>
      </div>
      {loads.length > 0 && (
        <ul className={classes.saved} aria-label={t('measure.moreList')}>
          {loads.map((each) => (
            <li key={each.text}>
              <span>{spoken(each)}</span>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('measure.remove', { load: spoken(each) })}
                onClick={() => onChange(texts.filter((other) => other !== each.text))}
              >
                <X size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  )
}

function spoken({ load, workload }: MoreLoad): string {
  const what = i18n.t('measure.load', {
    pattern: i18n.t(`measure.patterns.${load.pattern}`),
    size: sizeText(load.blocks),
    writes: load.write_percent ?? 0,
    depth: (load.depth ?? 1) * (load.workers ?? 1),
  })
  return workload ? i18n.t('measure.named', { name: workloadLabel(workload), what }) : what
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
        data={OWN_BYTES.map((bytes) => ({
          value: String(bytes),
          label: sizeText([{ bytes, percent: 100 }]),
        }))}
        onChange={(event) => onChange({ ...own, bytes: Number(event.currentTarget.value) })}
      />
      <NumberInput
        label={t('measure.writeShare')}
        value={own.writePercent}
        min={0}
        max={100}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        onChange={(value) => onChange({ ...own, writePercent: Number(value) })}
      />
      <NativeSelect
        label={t('measure.axes.depths')}
        value={String(own.depth)}
        data={OWN_DEPTHS.map(String)}
        onChange={(event) => onChange({ ...own, depth: Number(event.currentTarget.value) })}
      />
    </>
  )
}
