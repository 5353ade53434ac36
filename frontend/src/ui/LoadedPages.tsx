import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './Failure'
import { ListEnd } from './ListEnd'
import { Loading } from './Loading'

interface PageOf<Item> {
  items: Item[]
  total: number | null
}

interface LoadedPagesProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<PageOf<Item>>>
  children: (items: Item[]) => ReactNode
}

/** What has been fetched of a list, and the way to the rest. */
export function LoadedPages<Item>({ query, children }: LoadedPagesProps<Item>) {
  if (query.data) {
    return (
      <>
        {children(query.data.pages.flatMap((page) => page.items))}
        <ListEnd query={query} />
      </>
    )
  }
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Loading />
}
