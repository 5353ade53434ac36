import { Button } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatCount } from '@/lib/format'
import classes from './ListEnd.module.css'

interface Page {
  items: unknown[]
  total: number | null
}

/** Below a list that is fetched page by page: how much of it is shown, and the way to the rest. */
export function ListEnd({ query }: { query: UseInfiniteQueryResult<InfiniteData<Page>> }) {
  const { t } = useTranslation()
  if (!query.hasNextPage || !query.data) return null
  const shown = query.data.pages.reduce((sum, page) => sum + page.items.length, 0)
  const total = query.data.pages[0]?.total
  return (
    <p className={classes.end}>
      {total == null
        ? t('common.shownOfMore', { shown: formatCount(shown) })
        : t('common.shownOf', { shown: formatCount(shown), total: formatCount(total) })}{' '}
      <Button
        variant="default"
        size="compact-sm"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {t('common.loadMore')}
      </Button>
    </p>
  )
}
