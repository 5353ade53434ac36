import { Trans, useTranslation } from 'react-i18next'
import { Notice } from '@/ui/Notice'
import { Ago } from '@/ui/Quantity'

interface StaleBannerProps {
  of: { online: boolean; stale_since: string | null }
}

/** On every page of an offline host: how old what you see is, and that nothing can be done. */
export function StaleBanner({ of }: StaleBannerProps) {
  const { t } = useTranslation()
  if (of.online) return null
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
