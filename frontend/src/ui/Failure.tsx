import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { problemDetail, problemOf } from '@/lib/problem'
import { EmptyState } from './EmptyState'
import { NotFound } from './NotFound'
import { ProblemNotice } from './ProblemNotice'

/** A page or panel that could not be loaded, with a way to try again. */
export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useTranslation()
  const problem = problemOf(error)
  if (problem.status === 403) {
    return (
      <EmptyState kind="not-allowed" title={t('common.notAllowedTitle')}>
        {problem.detail ? problemDetail(problem) : t('common.notAllowedText')}
      </EmptyState>
    )
  }
  if (problem.status === 404) return <NotFound />
  return (
    <EmptyState
      kind="failed"
      title={t('problem.loadFailed')}
      action={
        <Button variant="default" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      }
    >
      <ProblemNotice problem={problem} />
    </EmptyState>
  )
}
