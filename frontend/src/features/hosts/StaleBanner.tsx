import { Trans, useTranslation } from 'react-i18next'
import { Notice } from '@/ui/Notice'
import { Ago } from '@/ui/Quantity'

interface StaleBannerProps {
  of: { online: boolean; stale_since: string | null; limited: string[] }
}

/** What keeps the page from being the truth of this moment: an offline host, or a broken report. */
export function StaleBanner({ of }: StaleBannerProps) {
  return (
    <>
      {!of.online && <OfflineNotice of={of} />}
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

function OfflineNotice({ of }: StaleBannerProps) {
  const { t } = useTranslation()
  return (
    <Notice tone="warn" title={t('host.offlineTitle')}>
      <p>
        {of.stale_since ? (
          <Trans i18nKey="host.offlineSince" components={{ age: <Ago time={of.stale_since} /> }} />
        ) : (
          t('host.offlineNever')
        )}
      </p>
    </Notice>
  )
}
