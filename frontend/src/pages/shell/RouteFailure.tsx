import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ProblemError } from '@/lib/problem'
import { EmptyState } from '@/ui/EmptyState'
import { Failure } from '@/ui/Failure'
import { PageHeader } from '@/ui/PageHeader'

/** A request that failed is the server's business; anything else is a mistake of ours. */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  if (error instanceof ProblemError) return <Failure error={error} onRetry={reset} />
  return (
    <>
      <PageHeader title={t('problem.unexpectedTitle')} />
      <EmptyState
        kind="failed"
        title={t('problem.unexpectedText')}
        action={<Button onClick={() => window.location.reload()}>{t('problem.reload')}</Button>}
      >
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </EmptyState>
    </>
  )
}
