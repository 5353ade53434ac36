import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '@/ui/EmptyState'
import { PageHeader } from '@/ui/PageHeader'

export function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('common.notFoundTitle')} />
      <EmptyState
        kind="none-match"
        title={t('common.notFoundText')}
        action={<Link to="/">{t('common.toFleet')}</Link>}
      />
    </>
  )
}
