import { infiniteQueryOptions } from '@tanstack/react-query'
import type { ResourceKey } from './registry'
import type { paths } from './schema.gen'
import type { PageOf } from './types'

/** The largest page the server gives. */
export const PAGE_MAX = 500
export const PAGE_SIZE = 100

/** What is saved as a file at most: more would hold up the server and the browser. */
const SAVED_MAX = 10_000

/** What a list may be asked for, but for its pages and fields. */
export type Asked<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } }
}
  ? Omit<NonNullable<Query>, 'limit' | 'cursor' | 'fields'>
  : never

/** A list of any length: the server filters and sorts it, and it is fetched page by page. */
export const paged = <Item>(
  queryKey: ResourceKey,
  fetchPage: (cursor: string | null, signal: AbortSignal) => Promise<PageOf<Item>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })

/** All pages of a list that may be long, up to a bound. */
export async function collectMany<Item>(
  fetchPage: (cursor: string | null) => Promise<PageOf<Item>>,
): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: PageOf<Item> = await fetchPage(cursor)
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null && items.length < SAVED_MAX)
  return items
}

/** All pages of a list that is small by nature: what one host has. */
export async function collect<Item>(
  fetchPage: (cursor: string | null) => Promise<PageOf<Item>>,
): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: PageOf<Item> = await fetchPage(cursor)
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}
