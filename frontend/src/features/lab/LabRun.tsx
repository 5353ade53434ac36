import { Button, Group, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { cancelSimulation, isRunning, simulationQuery } from '@/api/lab'
import type { AnyScenario, Prediction, Simulation } from '@/api/types'
import { Failure } from '@/ui/Failure'
import { Loading } from '@/ui/Loading'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { ProgressLine } from '@/ui/ProgressLine'
import { refusalText } from './groups-scenario'

interface LabRunProps {
  scenario: AnyScenario
  /** What came of it. */
  children: (prediction: Prediction, version: string) => ReactNode
}

/** A simulation from its start over its progress to what came of it. */
export function LabRun({ scenario, children }: LabRunProps) {
  const { t } = useTranslation()
  const query = useQuery(simulationQuery(scenario))
  const simulation = query.data
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  if (!simulation) return <Loading rows={4} />
  if (isRunning(simulation)) return <Running simulation={simulation} scenario={scenario} />
  if (simulation.prediction) return children(simulation.prediction, simulation.version)
  const again = (
    <Button variant="default" size="xs" onClick={() => void query.refetch()}>
      {t('lab.again')}
    </Button>
  )
  return simulation.state === 'cancelled' ? (
    <Notice tone="info" action={again}>
      <p>{t('lab.cancelled')}</p>
    </Notice>
  ) : (
    <Notice tone="crit" title={t('lab.failedTitle')} action={again} live>
      <p>{simulation.problem && refusalText(simulation.problem, scenario)}</p>
    </Notice>
  )
}

function Running({ simulation, scenario }: { simulation: Simulation; scenario: AnyScenario }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  async function cancel() {
    const ended = await cancelSimulation(simulation.id)
    client.setQueryData(simulationQuery(scenario).queryKey, ended)
  }
  const { points_done: done, points } = simulation
  return (
    <Panel title={t('lab.simulating')}>
      <Stack gap="sm">
        <ProgressLine
          label={t('lab.simulating')}
          percent={points > 0 ? (done / points) * 100 : 0}
        />
        <Group justify="space-between">
          <p role="status">
            {simulation.state === 'waiting'
              ? t('lab.waiting')
              : t('lab.progress', { done, points })}
          </p>
          <Button variant="default" onClick={() => void cancel()}>
            {t('lab.cancel')}
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
