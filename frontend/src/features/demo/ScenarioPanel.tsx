import '@/locales/later/stripes'
import '@/locales/later/demo'
import { Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { ActionButton } from '@/ui/ActionButton'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { Panel } from '@/ui/Panel'
import { type Running, StepList } from './StepList'
import {
  build,
  buildBlocked,
  isBegun,
  remove,
  removeBlocked,
  type Scenario,
  STRIPE_NAME,
  scenarioOf,
} from './scenario'

/** Of the demo only: two controllers, one stripe over both, by one button. */
export function ScenarioPanel({ inventory }: { inventory: Inventory }) {
  const { t } = useTranslation()
  const scenario = scenarioOf(inventory)
  if (!scenario) return null
  return (
    <Panel title={t('demo.title')}>
      <p>{t('demo.intro')}</p>
      <ScenarioSteps scenario={scenario} inventory={inventory} />
    </Panel>
  )
}

function ScenarioSteps({ scenario, inventory }: { scenario: Scenario; inventory: Inventory }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [running, setRunning] = useState<Running>(null)
  const [asksRemoval, setAsksRemoval] = useState(false)
  const make = useChange(() => build(client, scenario, inventory, setRunning), {
    done: t('demo.built'),
  })
  return (
    <>
      <StepList scenario={scenario} running={make.isPending ? running : null} />
      <ChangeFailure error={make.error} />
      <Group mt="sm">
        {!scenario.stripe && (
          <ActionButton
            loading={make.isPending}
            blockedReason={buildBlocked(scenario)}
            onClick={() => make.mutate(undefined)}
          >
            {isBegun(scenario) ? t('demo.goOn') : t('demo.build')}
          </ActionButton>
        )}
        {isBegun(scenario) && !make.isPending && (
          <ActionButton
            variant="light"
            color="red"
            blockedReason={removeBlocked(scenario)}
            onClick={() => setAsksRemoval(true)}
          >
            {t('demo.remove')}
          </ActionButton>
        )}
      </Group>
      {asksRemoval && <RemoveDialog scenario={scenario} onClose={() => setAsksRemoval(false)} />}
    </>
  )
}

function RemoveDialog({ scenario, onClose }: { scenario: Scenario; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const change = useChange((typed: string) => remove(client, scenario, typed), {
    done: t('demo.removed'),
    onDone: onClose,
  })
  const names = [
    ...(scenario.stripe ? [STRIPE_NAME] : []),
    ...scenario.halves.filter((half) => half.virtualDrive).map((half) => half.name),
  ]
  return (
    <ConfirmDialog
      opened
      title={t('demo.removeTitle')}
      verb={t('demo.removeVerb')}
      grade={{ kind: 'typed', expected: STRIPE_NAME, label: t('demo.removeField') }}
      consequences={[t('demo.removeData', { names: names.join(', ') }), t('demo.removeDrives')]}
      pending={change.isPending}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={(typed) => change.mutate(typed)}
      onClose={onClose}
    />
  )
}
