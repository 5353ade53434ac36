import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from './EmptyState'

export function NotFound({ action }: { action?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <EmptyState kind="none-match" title={t('common.notFoundTitle')} action={action}>
      {t('common.notFoundText')}
    </EmptyState>
  )
}
