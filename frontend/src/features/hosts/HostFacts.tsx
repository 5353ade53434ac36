import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { retireHost } from '@/api/hosts'
import { caused } from '@/api/live/caused'
import type { Host } from '@/api/types'
import { useHasRole } from '@/entities/session/session'
import { blockedText } from '@/entities/states/words'
import { problemOf } from '@/lib/problem'
import { ActionButton } from '@/ui/ActionButton'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { Facts } from '@/ui/Facts'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { Timestamp } from '@/ui/Quantity'
import { showToast } from '@/ui/toasts'

const PRESETS = ['standard', 'strict', 'lab'] as const

export function HostFacts({ host }: { host: Host }) {
  const { t } = useTranslation()
  const [isRetiring, setRetiring] = useState(false)
  const mayRetire = useHasRole('administrator')
  const preset = PRESETS.find((each) => each === host.policy_preset)
  const blocked = blockedText(host.blocked, 'host_retire')
  return (
    <Panel title={t('host.about')}>
      <Facts
        facts={[
          { label: t('host.hostname'), value: host.hostname || null },
          { label: t('host.system'), value: host.os || null },
          { label: t('host.kernel'), value: host.kernel || null },
          { label: t('host.agent'), value: host.agent_version || null },
          {
            label: t('host.policy'),
            value: preset ? t(`host.policyHelp.${preset}`) : host.policy_preset || null,
          },
          ...(host.labels.length > 0
            ? [{ label: t('host.labels'), value: host.labels.join(' ') }]
            : []),
          { label: t('host.enrolled'), value: <Timestamp time={host.enrolled_at} /> },
          {
            label: t('host.connected'),
            value: host.connected_at ? <Timestamp time={host.connected_at} /> : null,
          },
          {
            label: t('host.clock'),
            value:
              host.clock_offset_ms === null
                ? null
                : t('host.clockValue', { ms: host.clock_offset_ms }),
          },
        ]}
      />
      <ActionButton
        variant="light"
        color="red"
        size="compact-sm"
        mt="sm"
        blockedReason={mayRetire ? blocked : t('host.retireNotAllowed')}
        onClick={() => setRetiring(true)}
      >
        {t('host.retire')}
      </ActionButton>
      {isRetiring && <RetireDialog host={host} onClose={() => setRetiring(false)} />}
    </Panel>
  )
}

function RetireDialog({ host, onClose }: { host: Host; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const retire = useMutation({
    mutationFn: (typed: string) => retireHost(host.id, typed),
    onSuccess: async () => {
      showToast(t('host.retired', { name: host.label }))
      await navigate({ to: '/' })
      void caused(client, 'host')
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('host.retireTitle', { name: host.label })}
      verb={t('host.retire')}
      grade={{ kind: 'typed', expected: host.label, label: t('host.retireLabel') }}
      consequences={(['access', 'history', 'arrays'] as const).map((key) =>
        t(`host.retireConsequences.${key}`),
      )}
      pending={retire.isPending}
      failure={retire.error && <ProblemNotice problem={problemOf(retire.error)} />}
      onConfirm={(typed) => retire.mutate(typed)}
      onClose={onClose}
    />
  )
}
