import { Trans, useTranslation } from 'react-i18next'
import type { Presence } from '@/api/types'
import { CopyLine } from '@/ui/CopyLine'
import { Notice } from '@/ui/Notice'
import { Ago } from '@/ui/Quantity'

export const START_LINK = 'sudo systemctl enable --now arraywright-uplink'
const LINK_LOG = 'journalctl -u arraywright-uplink'

interface StaleBannerProps {
  of: {
    online: boolean
    stale_since: string | null
    limited: string[]
    /** Of a host; its objects say only whether it can be asked. */
    presence?: Presence
    last_seen?: string | null
  }
}

/** What keeps the page from being the truth of this moment: an absent host, or a broken report. */
export function StaleBanner({ of }: StaleBannerProps) {
  return (
    <>
      <PresenceNotice of={of} />
      {of.limited.length > 0 && <LimitedNotice fields={of.limited} />}
    </>
  )
}

function LimitedNotice({ fields }: { fields: string[] }) {
  const { t } = useTranslation()
  const outdated = fields.includes('report')
  return (
    <Notice tone="warn" title={t(outdated ? 'host.reportUnreadable' : 'host.limitedTitle')}>
      <p>
        {outdated
          ? t('host.reportUnreadableText')
          : t('host.limitedText', { fields: fields.join(', ') })}
      </p>
    </Notice>
  )
}

function PresenceNotice({ of }: StaleBannerProps) {
  const { t } = useTranslation()
  if (of.presence === 'enrolled') return <NeverConnected />
  if (of.presence === 'connecting') {
    return (
      <Notice tone="info" title={t('host.connectingTitle')}>
        <p>{t('host.connectingText')}</p>
      </Notice>
    )
  }
  if (of.presence === 'late' && of.last_seen) {
    return <Outdated title={t('host.lateTitle')} text="host.lateSince" since={of.last_seen} />
  }
  if (of.online || of.stale_since === null) return null
  return <Outdated title={t('host.offlineTitle')} text="host.offlineSince" since={of.stale_since} />
}

interface OutdatedProps {
  title: string
  text: 'host.lateSince' | 'host.offlineSince'
  since: string
}

function Outdated({ title, text, since }: OutdatedProps) {
  return (
    <Notice tone="warn" title={title}>
      <p>
        <Trans i18nKey={text} components={{ age: <Ago time={since} /> }} />
      </p>
    </Notice>
  )
}

function NeverConnected() {
  const { t } = useTranslation()
  return (
    <Notice tone="warn" title={t('host.enrolledTitle')}>
      <p>{t('host.enrolledText')}</p>
      <CopyLine label={t('host.enrolledText')} text={START_LINK} />
      <p>{t('host.enrolledLog')}</p>
      <CopyLine label={t('host.enrolledLog')} text={LINK_LOG} />
    </Notice>
  )
}
