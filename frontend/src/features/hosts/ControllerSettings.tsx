import { Button, Group, Modal, NativeSelect, NumberInput, Stack, Switch } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { updateController } from '@/api/controllers'
import type { Controller, ControllerUpdate } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { PatrolFields } from './PatrolFields'
import { patrolDraft, patrolUpdate } from './patrol-draft'

interface ControllerSettingsProps {
  controller: Controller
  onClose: () => void
}

const COERCIONS = ['none', 'mib_128', 'gib_1'] as const

/** What is on or off; each is one switch. */
const POLICIES = [
  'auto_rebuild',
  'copyback',
  'predictive_copyback',
  'emergency_spare',
  'emergency_unconfigured',
  'mixed_media',
  'mixed_interfaces',
] as const

function isPercent(value: number | string): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}

function isGlitchTime(value: number | string): value is number {
  return typeof value === 'number' && value >= 0 && value <= 300
}

export function ControllerSettings({ controller, onClose }: ControllerSettingsProps) {
  const { t } = useTranslation()
  const [rebuild, setRebuild] = useState<number | string>(controller.rebuild_rate_percent)
  const [bgi, setBgi] = useState<number | string>(controller.bgi_rate_percent)
  const [glitch, setGlitch] = useState<number | string>(controller.glitch_seconds)
  const [coercion, setCoercion] = useState(controller.coercion)
  const [patrolBefore] = useState(() => patrolDraft(controller))
  const [patrol, setPatrol] = useState(patrolBefore)
  const [policies, setPolicies] = useState(() =>
    Object.fromEntries(POLICIES.map((policy) => [policy, controller[policy]])),
  )
  const change = useChange((body: ControllerUpdate) => updateController(controller, body), {
    done: t('controller.settingsDone', { path: controller.path }),
    onDone: onClose,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const patrolBody = patrolUpdate(patrol, patrolBefore)
    if (change.isPending || !isPercent(rebuild) || !isPercent(bgi) || !isGlitchTime(glitch)) return
    if (!patrolBody) return
    // Only what differs, so that a change made elsewhere meanwhile is not undone.
    const body: ControllerUpdate = {
      ...(rebuild !== controller.rebuild_rate_percent && { rebuild_rate_percent: rebuild }),
      ...(bgi !== controller.bgi_rate_percent && { bgi_rate_percent: bgi }),
      ...(glitch !== controller.glitch_seconds && { glitch_seconds: glitch }),
      ...(coercion !== controller.coercion && { coercion }),
      ...Object.fromEntries(
        POLICIES.filter((policy) => policies[policy] !== controller[policy]).map((policy) => [
          policy,
          policies[policy],
        ]),
      ),
      ...patrolBody,
    }
    if (Object.keys(body).length === 0) onClose()
    else change.mutate(body)
  }

  const rate = (label: string, value: number | string, set: (value: number | string) => void) => (
    <NumberInput
      label={label}
      description={t('controller.rateHelp')}
      value={value}
      onChange={set}
      min={0}
      max={100}
      allowDecimal={false}
      clampBehavior="none"
      error={isPercent(value) ? undefined : t('controller.rateRange')}
    />
  )

  return (
    <Modal
      opened
      onClose={onClose}
      title={t('controller.settingsTitle', { path: controller.path })}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {rate(t('controller.rebuildRate'), rebuild, setRebuild)}
          {rate(t('controller.bgiRate'), bgi, setBgi)}
          <NumberInput
            label={t('controller.glitchTime')}
            description={t('controller.glitchHelp')}
            value={glitch}
            onChange={setGlitch}
            min={0}
            max={300}
            allowDecimal={false}
            clampBehavior="none"
            error={isGlitchTime(glitch) ? undefined : t('controller.glitchRange')}
          />
          {coercion && (
            <NativeSelect
              label={t('controller.coercion')}
              description={t('controller.coercionHelp')}
              value={coercion}
              onChange={({ currentTarget: { value } }) =>
                setCoercion(COERCIONS.find((word) => word === value) ?? coercion)
              }
              data={COERCIONS.map((value) => ({
                value,
                label: t(`controller.coercionStep.${value}`),
              }))}
            />
          )}
          {POLICIES.map((policy) => (
            <Switch
              key={policy}
              label={t(`controller.policy.${policy}`)}
              checked={policies[policy]}
              onChange={({ currentTarget: { checked } }) =>
                setPolicies((before) => ({ ...before, [policy]: checked }))
              }
            />
          ))}
          {patrol && patrolBefore && (
            <PatrolFields draft={patrol} before={patrolBefore} onChange={setPatrol} />
          )}
          <ChangeFailure error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
