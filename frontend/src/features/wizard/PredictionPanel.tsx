import { Button, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { catalogueQuery } from '@/api/lab'
import type { ChoicePrediction, Drive, DriveGroup } from '@/api/types'
import type { Wish } from '@/entities/wishes/wish'
import { formatBytes, formatCount, formatStrip } from '@/lib/format'
import { problemDetail, problemOf } from '@/lib/problem'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { ChoiceTable } from './ChoiceTable'
import classes from './Prediction.module.css'
import { toChoice } from './prediction-request'
import { SurvivalView } from './SurvivalView'
import { usePrediction } from './use-prediction'

interface PredictionPanelProps {
  wish: Wish
  group: DriveGroup | undefined
  drives: Drive[]
}

/** Speed, rebuild and survival of the wish, next to the other levels, as arraysim predicts them. */
export function PredictionPanel({ wish, group, drives }: PredictionPanelProps) {
  const { t } = useTranslation()
  const [profile, setProfile] = useState<string | null>(null)
  const request = toChoice(wish, group, profile)
  const { result, isCurrent, error, retry } = usePrediction(request)
  const paths = request?.drive_ids.map(
    (id) => drives.find((drive) => drive.id === id)?.path ?? id.slice(0, 8),
  )
  return (
    <Panel title={t('prediction.title')}>
      <Stack gap="md" aria-busy={request !== undefined && !isCurrent && !error}>
        {request === undefined && <p>{t('prediction.waiting')}</p>}
        {request !== undefined && !isCurrent && !error && (
          <p className={classes.muted} role="status">
            {t('prediction.asking')}
          </p>
        )}
        {error && <PredictionFailure error={error} onRetry={retry} />}
        {result && !error && (
          <>
            <ChosenFigures result={result} paths={paths ?? []} />
            <ChoiceTable prediction={result} />
            <Basis result={result} />
          </>
        )}
        {request !== undefined && <ModelSelect value={profile} onChange={setProfile} />}
      </Stack>
    </Panel>
  )
}

function ChosenFigures({ result, paths }: { result: ChoicePrediction; paths: string[] }) {
  const chosen = result.choices.find((choice) => choice.chosen)
  return chosen?.survival ? <SurvivalView survival={chosen.survival} names={paths} /> : null
}

/** What the figures rest on: never a number without its doubt. */
function Basis({ result }: { result: ChoicePrediction }) {
  const { t } = useTranslation()
  const { bound, drive } = result
  const kind = drive.chosen ? 'chosen' : drive.exact ? 'exact' : 'similar'
  return (
    <div className={classes.basis}>
      <p>{t(`prediction.standIn.${kind}`, { model: drive.model })}</p>
      {result.host_cache_bytes === 0 && <p>{t('prediction.writeThroughOnly')}</p>}
      <p>
        {t('prediction.bound', {
          version: result.version,
          operations: formatCount(bound.operations),
          warmup: formatCount(bound.warmup_operations),
          writes: formatCount(bound.write_operations),
          writesWarmup: formatCount(bound.write_warmup_operations),
          streams: formatCount(bound.sequential_operations),
          streamsWarmup: formatCount(bound.sequential_warmup_operations),
          random: formatStrip(bound.random_bytes),
          randomDepth: bound.random_depth,
          sequential: formatStrip(bound.sequential_bytes),
          sequentialDepth: bound.sequential_depth,
        })}{' '}
        {bound.cache_bytes > 0 &&
          bound.cache_bytes < result.host_cache_bytes &&
          t('prediction.boundCache', { cache: formatStrip(bound.cache_bytes) })}
      </p>
    </div>
  )
}

interface ModelSelectProps {
  value: string | null
  onChange: (profile: string | null) => void
}

function ModelSelect({ value, onChange }: ModelSelectProps) {
  const { t } = useTranslation()
  const { data } = useQuery(catalogueQuery)
  if (!data) return null
  return (
    <NativeSelect
      label={t('prediction.as')}
      value={value ?? ''}
      maw={420}
      data={[
        { value: '', label: t('prediction.asSimilar') },
        ...data.drives.map((drive) => ({
          value: drive.name,
          label: `${drive.model} (${formatBytes(drive.capacity_bytes)})`,
        })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  )
}

function PredictionFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useTranslation()
  const problem = problemOf(error)
  const text = problem.code === 'lab_busy' ? t('prediction.busy') : problemDetail(problem)
  return (
    <Notice
      tone="warn"
      title={t('prediction.unavailable')}
      action={
        <Button variant="default" size="xs" onClick={onRetry}>
          {t('prediction.retry')}
        </Button>
      }
    >
      <p>{text}</p>
    </Notice>
  )
}
