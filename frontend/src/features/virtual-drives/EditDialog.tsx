import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PolicyPreset, Reason, VirtualDrive, VirtualDriveUpdate } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { sendSeen } from '@/entities/commands/send-seen'
import { useChange } from '@/entities/commands/use-change'
import { word } from '@/entities/states/words'
import { PolicySelect } from '@/entities/virtual-drives/PolicySelect'
import { NAME_PATTERN } from '@/entities/virtual-drives/policy-options'
import { policiesOf, policyBody } from '@/entities/virtual-drives/presets'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { PresetSection, usePolicyPreview } from './PresetSection'

interface EditDialogProps {
  virtualDrive: VirtualDrive
  onClose: () => void
}

const settingsOf = (virtualDrive: VirtualDrive) => ({
  name: virtualDrive.name,
  write_policy: virtualDrive.write_policy.requested,
  read_policy: virtualDrive.read_policy.requested,
  io_policy: virtualDrive.io_policy,
  drive_cache_policy: virtualDrive.drive_cache_policy,
  degraded_policy: virtualDrive.degraded_policy ?? 'keep',
  access: virtualDrive.access,
  stripe_log: virtualDrive.stripe_log ?? false,
  stripe_log_mode: virtualDrive.stripe_log_mode ?? 'auto',
  hedged_reads: virtualDrive.hedged_reads ?? false,
})

type Settings = ReturnType<typeof settingsOf>

/** Only what differs, so that a change made elsewhere meanwhile is not undone. */
export function differences(before: Settings, after: Settings): VirtualDriveUpdate {
  const keys = Object.keys(after) as (keyof Settings)[]
  return Object.fromEntries(
    keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]),
  )
}

/** With a preset its name, what was changed in it, and whatever else differs. */
export function changesOf(
  before: Settings,
  after: Settings,
  preset: PolicyPreset | null,
): VirtualDriveUpdate {
  if (preset === null) return differences(before, after)
  const others = differences(before, { ...after, ...policiesOf(before) } as Settings)
  return { ...others, ...policyBody(preset, after) }
}

type PolicyState = { requested: string; effective: string; reason: Reason }

/** What holds at present, where that is known and not what was asked for. */
function present(state: PolicyState | null | undefined): string | undefined {
  if (!state || state.requested === state.effective) return undefined
  const { effective, reason } = state
  return i18n.t('policy.now', {
    effective: word('policyWord', effective),
    why: reasonText(reason),
  })
}

const withPresent = (help: string, state: PolicyState | null | undefined) =>
  [help, present(state)].filter(Boolean).join(' ')

interface RiskDialogProps {
  name: string
  pending: boolean
  failure: ReactNode
  onConfirm: () => void
  onClose: () => void
}

/** Always write-back is chosen with open eyes, or not at all. */
function RiskDialog({ name, ...rest }: RiskDialogProps) {
  const { t } = useTranslation()
  return (
    <ConfirmDialog
      opened
      title={t('policy.riskTitle', { name })}
      verb={t('policy.riskVerb')}
      grade={{ kind: 'consent', label: t('policy.risk', { name }) }}
      consequences={[t('policy.riskLoss'), t('policy.riskLasting')]}
      {...rest}
    />
  )
}

interface PresetRiskDialogProps extends RiskDialogProps {
  preset: string
  risks: Reason[]
}

function PresetRiskDialog({ name, preset: key, risks, ...rest }: PresetRiskDialogProps) {
  const { t } = useTranslation()
  const preset = word('presetName', key)
  return (
    <ConfirmDialog
      opened
      title={t('policy.presetRiskTitle', { preset, name })}
      verb={t('policy.presetRiskVerb', { preset })}
      grade={{ kind: 'consent', label: t('policy.presetRiskAccept', { preset }) }}
      consequences={risks.map(reasonText)}
      {...rest}
    />
  )
}

export function EditDialog({ virtualDrive, onClose }: EditDialogProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [settings, setSettings] = useState(() => settingsOf(virtualDrive))
  const [preset, setPreset] = useState<PolicyPreset | null>(null)
  const preview = usePolicyPreview(virtualDrive, preset, settings)
  const change = useChange(
    (body: VirtualDriveUpdate) =>
      sendSeen(client, (present) => virtualDriveChanges.update(present, body), {
        seen: virtualDrive,
        look: () => client.fetchQuery({ ...virtualDriveQuery(virtualDrive.id), staleTime: 0 }),
        basis: settingsOf,
      }),
    {
      done: t('vd.edited', { name: settings.name }),
      onDone: onClose,
    },
  )
  const [asksRisk, setAsksRisk] = useState(false)
  const risks = preview.result?.risks ?? []
  const isNameGood = NAME_PATTERN.test(settings.name)
  const set = (part: Partial<Settings>) => setSettings({ ...settings, ...part })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending || !isNameGood) return
    const body = changesOf(settingsOf(virtualDrive), settings, preset)
    if (Object.keys(body).length === 0) onClose()
    else if (body.write_policy === 'always_write_back' || risks.length > 0) setAsksRisk(true)
    else change.mutate(body)
  }

  const confirmation = {
    name: settings.name,
    pending: change.isPending,
    failure: <ChangeFailure error={change.error} />,
    onClose: () => {
      change.reset()
      setAsksRisk(false)
    },
  }

  if (asksRisk && preset !== null) {
    return (
      <PresetRiskDialog
        {...confirmation}
        preset={preset.name}
        risks={risks}
        onConfirm={() =>
          change.mutate({
            ...changesOf(settingsOf(virtualDrive), settings, preset),
            accept_risk: true,
          })
        }
      />
    )
  }

  if (asksRisk) {
    return (
      <RiskDialog
        {...confirmation}
        onConfirm={() => change.mutate(differences(settingsOf(virtualDrive), settings))}
      />
    )
  }

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('vd.editTitle', { name: virtualDrive.name || virtualDrive.path })}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('vd.name')}
            description={t('vd.nameHelp')}
            value={settings.name}
            maxLength={15}
            error={isNameGood ? undefined : t('vd.nameHelp')}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <PresetSection
            virtualDrive={virtualDrive}
            value={preset}
            policies={settings}
            onChange={(next) => {
              setPreset(next)
              set(policiesOf(next ?? settingsOf(virtualDrive)) as Partial<Settings>)
            }}
          />
          <PolicySelect
            name="write_policy"
            label={t('vd.write')}
            value={settings.write_policy}
            description={present(virtualDrive.write_policy)}
            onChange={(write_policy) => set({ write_policy })}
          />
          <PolicySelect
            name="read_policy"
            label={t('vd.read')}
            value={settings.read_policy}
            description={present(virtualDrive.read_policy)}
            onChange={(read_policy) => set({ read_policy })}
          />
          <PolicySelect
            name="io_policy"
            label={t('vd.io')}
            value={settings.io_policy}
            onChange={(io_policy) => set({ io_policy })}
          />
          <PolicySelect
            name="drive_cache_policy"
            label={t('vd.driveCache')}
            value={settings.drive_cache_policy}
            onChange={(drive_cache_policy) => set({ drive_cache_policy })}
          />
          {virtualDrive.degraded_policy && (
            <PolicySelect
              name="degraded_policy"
              label={t('vd.degraded')}
              description={t('policy.degradedHelp')}
              value={settings.degraded_policy}
              onChange={(degraded_policy) => set({ degraded_policy })}
            />
          )}
          <PolicySelect
            name="access"
            label={t('vd.access')}
            value={settings.access}
            onChange={(access) => set({ access })}
          />
          {virtualDrive.stripe_log_mode && (
            <PolicySelect
              name="stripe_log_mode"
              label={t('policy.stripeLog')}
              description={withPresent(
                t('policy.stripeLogHelp'),
                virtualDrive.effective_stripe_log,
              )}
              value={settings.stripe_log_mode}
              onChange={(stripe_log_mode) => set({ stripe_log_mode })}
            />
          )}
          {virtualDrive.stripe_log !== null && !virtualDrive.stripe_log_mode && (
            <Switch
              label={t('policy.stripeLog')}
              description={withPresent(
                t('policy.stripeLogHelp'),
                virtualDrive.effective_stripe_log,
              )}
              checked={settings.stripe_log}
              onChange={(event) => set({ stripe_log: event.currentTarget.checked })}
            />
          )}
          {virtualDrive.hedged_reads !== null && (
            <Switch
              label={t('policy.hedgedReads')}
              description={withPresent(
                t('policy.hedgedReadsHelp'),
                virtualDrive.effective_hedged_reads,
              )}
              checked={settings.hedged_reads}
              onChange={(event) => set({ hedged_reads: event.currentTarget.checked })}
            />
          )}
          <ChangeFailure error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={preset !== null && !preview.isCurrent}
            >
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
