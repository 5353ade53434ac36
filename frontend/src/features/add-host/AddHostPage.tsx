import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createEnrolmentToken, enrolmentTokensQuery, hostsQuery } from '@/api/hosts'
import type { EnrolmentTokenCreated, Host } from '@/api/types'
import { START_LINK } from '@/features/hosts/StaleBanner'
import { useHasRole } from '@/features/session/session'
import { formatDateTime } from '@/lib/format'
import { problemOf } from '@/lib/problem'
import { CopyLine } from '@/ui/CopyLine'
import { EmptyState } from '@/ui/EmptyState'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { Panel, PanelStack } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { EnrolmentTokens } from './EnrolmentTokens'

const LIFETIMES_MIN = [15, 60, 1440, 10_080] as const
/** The first report comes over the live stream; this only covers a stream that is down. */
const WAITING_POLL_MS = 4_000

export function AddHostPage() {
  const { t } = useTranslation()
  const mayAdd = useHasRole('administrator')
  if (!mayAdd) {
    return (
      <>
        <PageHeader title={t('addHost.title')} />
        <EmptyState kind="not-allowed" title={t('common.notAllowedTitle')}>
          {t('common.notAllowedText')}
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader title={t('addHost.title')} subtitle={t('addHost.intro')} />
      <PanelStack>
        <NewToken />
        <EnrolmentTokens />
      </PanelStack>
    </>
  )
}

function NewToken() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [minutes, setMinutes] = useState<string>('60')
  const create = useMutation({
    mutationFn: createEnrolmentToken,
    onSuccess: () => void client.invalidateQueries({ queryKey: ['enrolment-tokens'] }),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!create.isPending) create.mutate({ name, expires_in_minutes: Number(minutes) })
  }

  if (create.data) return <Waiting token={create.data} onAnother={create.reset} />
  return (
    <Panel title={t('addHost.step1')}>
      <form onSubmit={submit}>
        <Stack gap="md" maw={420}>
          <TextInput
            label={t('addHost.name')}
            description={t('addHost.nameHelp')}
            placeholder={t('addHost.namePlaceholder')}
            value={name}
            maxLength={64}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('addHost.expires')}
            value={minutes}
            data={LIFETIMES_MIN.map((each) => ({
              value: String(each),
              label: t(`addHost.minutes_${each}`),
            }))}
            onChange={(event) => setMinutes(event.currentTarget.value)}
          />
          {create.error && <ProblemNotice problem={problemOf(create.error)} />}
          <Button type="submit" loading={create.isPending} w="fit-content">
            {t('addHost.make')}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}

function Waiting({ token, onAnother }: { token: EnrolmentTokenCreated; onAnother: () => void }) {
  const { t } = useTranslation()
  const tokens = useQuery({ ...enrolmentTokensQuery, refetchInterval: WAITING_POLL_MS })
  const hosts = useQuery({ ...hostsQuery, refetchInterval: WAITING_POLL_MS })
  const hostId = tokens.data?.find((each) => each.id === token.id)?.host_id
  const host = hosts.data?.find((each) => each.id === hostId)
  return (
    <>
      <Panel title={t('addHost.step2')}>
        <Stack gap="sm">
          <p>{t('addHost.install')}</p>
          <Notice tone="warn">{t('addHost.once')}</Notice>
          <CopyLine label={t('addHost.line')} text={token.install_line} />
        </Stack>
      </Panel>
      <Panel title={t('addHost.step3')}>
        <Stack gap="sm" role="status">
          {host ? (
            <Arrival host={host} />
          ) : (
            <p>{t('addHost.waiting', { time: formatDateTime(token.expires_at) })}</p>
          )}
        </Stack>
        <Button mt="md" variant="default" onClick={onAnother}>
          {t('addHost.another')}
        </Button>
      </Panel>
    </>
  )
}

/** What the host's presence is on every other page too. */
function Arrival({ host }: { host: Host }) {
  const { t } = useTranslation()
  const name = host.label
  if (host.presence === 'enrolled') {
    return (
      <>
        <p>{t('addHost.enrolled', { name })}</p>
        <CopyLine label={t('addHost.enrolled', { name })} text={START_LINK} />
      </>
    )
  }
  if (host.presence === 'connecting') return <p>{t('addHost.connecting', { name })}</p>
  return (
    <>
      <Notice tone="ok">{t('addHost.arrived', { name })}</Notice>
      <Link to="/hosts/$hostId" params={{ hostId: host.id }}>
        {t('addHost.open', { name })}
      </Link>
    </>
  )
}
