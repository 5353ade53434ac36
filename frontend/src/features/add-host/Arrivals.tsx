import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { enrolledHostsQuery } from '@/api/hosts'
import type { EnrolmentTokenCreated, Host } from '@/api/types'
import { START_LINK } from '@/entities/hosts/StaleBanner'
import { useNow } from '@/lib/clock'
import { formatDateTime } from '@/lib/format'
import { CopyLine } from '@/ui/CopyLine'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { Status, type Tone } from '@/ui/Status'
import classes from './Arrivals.module.css'
import { STEPS, type Stall, type Step, stallOf, stepOf } from './arrival'

/** Hosts come over the live stream; this only covers a stream that is down. */
const POLL_MS = 4_000
const LINK_STATUS = 'systemctl status arraywright-uplink'
const LINK_LOG = 'journalctl --unit=arraywright-uplink --lines=20'

/** The hosts that used a token, each from "enrolled" to its first report. */
export function Arrivals({ token }: { token: EnrolmentTokenCreated }) {
  const { t } = useTranslation()
  const now = useNow()
  const hosts = useQuery({ ...enrolledHostsQuery(token.id), refetchInterval: POLL_MS })
  const arrived = hosts.data ?? []
  const isOver = Date.parse(token.expires_at) <= now
  const stall = stallOf(undefined, token.created_at, now)
  return (
    <Panel title={t('addHost.step3')}>
      <Stack gap="lg" role="status">
        {arrived.map((host) => (
          <Arrival key={host.id} host={host} stall={stallOf(host, token.created_at, now)} />
        ))}
        {arrived.length === 0 && (
          <div>
            <Steps step="waiting" />
            <p>
              {isOver
                ? t('addHost.expired')
                : t('addHost.waiting', { time: formatDateTime(token.expires_at) })}
            </p>
            {stall && !isOver && <StallNotice stall={stall} />}
          </div>
        )}
        {arrived.length > 0 && token.max_uses !== 1 && (
          <p>
            {t('addHost.progress', {
              count: arrived.filter((host) => stepOf(host) === 'reporting').length,
              total: arrived.length,
            })}
          </p>
        )}
      </Stack>
    </Panel>
  )
}

function Arrival({ host, stall }: { host: Host; stall: Stall | undefined }) {
  const { t } = useTranslation()
  const name = host.label
  const step = stepOf(host)
  return (
    <div>
      <Steps step={step} />
      <p>{t(`addHost.at.${step}`, { name })}</p>
      {step === 'reporting' && (
        <Link to="/hosts/$hostId" params={{ hostId: host.id }}>
          {t('addHost.open', { name })}
        </Link>
      )}
      {stall && <StallNotice stall={stall} />}
    </div>
  )
}

function Steps({ step }: { step: Step }) {
  const { t } = useTranslation()
  const at = STEPS.indexOf(step)
  const toneOf = (index: number): Tone => {
    if (index < at || step === 'reporting') return 'ok'
    return index === at ? 'info' : 'idle'
  }
  return (
    <ol className={classes.steps}>
      {STEPS.map((each, index) => (
        <li key={each} aria-current={index === at ? 'step' : undefined}>
          <Status tone={toneOf(index)}>{t(`addHost.steps.${each}`)}</Status>
        </li>
      ))}
    </ol>
  )
}

const LINES: Record<Stall, string[]> = {
  nothing: [],
  notConnected: [START_LINK, LINK_STATUS],
  notReported: [LINK_LOG],
}

function StallNotice({ stall }: { stall: Stall }) {
  const { t } = useTranslation()
  return (
    <Notice tone="warn" title={t(`addHost.stall.${stall}.title`)}>
      <p>{t(`addHost.stall.${stall}.text`)}</p>
      {LINES[stall].map((line) => (
        <CopyLine key={line} label={t(`addHost.stall.${stall}.title`)} text={line} />
      ))}
    </Notice>
  )
}
