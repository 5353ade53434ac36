import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Host } from '@/api/types'
import { EmptyState } from '@/ui/EmptyState'
import { NotFound } from '@/ui/NotFound'
import { PageHeader } from '@/ui/PageHeader'

/** Instead of any page of a host that is no longer managed; `last`: as it was shown here. */
export function HostGone({ last }: { last: Pick<Host, 'label'> | undefined }) {
  const { t } = useTranslation()
  if (last === undefined) return <NotFound />
  return (
    <>
      <PageHeader title={last.label} />
      <EmptyState
        kind="none-match"
        title={t('gone.now.host')}
        action={<Link to="/">{t('common.toFleet')}</Link>}
      >
        {t('gone.hostText')}
      </EmptyState>
    </>
  )
}
