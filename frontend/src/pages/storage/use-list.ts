import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { paged } from '@/api/pages'
import { useWords } from '@/lib/use-words'
import type { ListSearch } from './search'

interface Question<Sort, State> {
  q: string | null
  sort: Sort
  state: State[]
}

/** A list as the address says it; while it is asked anew, the last answer stays. */
export function useList<Row, Sort extends string | undefined, State, Show extends string>(
  query: (asked: Question<Sort, State>) => ReturnType<typeof paged<Row>>,
  search: ListSearch<Show>,
  states: Record<Show, readonly State[]>,
) {
  const q = useWords(search.q)
  const asked = {
    q,
    // The route has read it: it is one of the server's words.
    sort: (search.sort ?? 'host') as Sort,
    state: search.show ? [...states[search.show]] : [],
  }
  return useInfiniteQuery({ ...query(asked), placeholderData: keepPreviousData })
}
