import type { PageOf } from './types'

/** The largest page the server gives. */
export const PAGE_MAX = 500
export const PAGE_SIZE = 100

/** What is saved as a file at most: more would hold up the server and the browser. */
const SAVED_MAX = 10_000

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
