import { ActionIcon, SimpleGrid } from '@mantine/core'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { ActionButton } from '@/ui/ActionButton'
import { sizeText, workloadLabel } from './figures'
import classes from './Lab.module.css'
import { AssumedNote, LoadPicker, OWN_FIRST } from './LoadPicker'
import { LOADS_MAX, type MoreLoad } from './more-loads'

interface MoreLoadsProps {
  /** Undefined while it is not known: then there are one's own loads only. */
  catalogue: LabCatalogue | undefined
  loads: MoreLoad[]
  /** Those of the pills count too. */
  count: number
  onChange: (texts: string[]) => void
}

/** Loads of the reviews and one's own, besides those that are offered by a pill. */
export function MoreLoads({ catalogue, loads, count, onChange }: MoreLoadsProps) {
  const { t } = useTranslation()
  const [text, setText] = useState(OWN_FIRST)
  const texts = loads.map((each) => each.text)
  const full = count >= LOADS_MAX
  return (
    <fieldset className={classes.more}>
      <legend>{t('measure.more')}</legend>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
        <LoadPicker catalogue={catalogue} text={text} onChange={setText} />
      </SimpleGrid>
      <AssumedNote catalogue={catalogue} text={text} />
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
