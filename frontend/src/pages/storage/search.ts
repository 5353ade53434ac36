import { readSort, readText, readWord } from '@/lib/search'

/** What the address of a list says: what is looked for, which part of it, in which order. */
export interface ListSearch<Show extends string = string> {
  q?: string | undefined
  show?: Show | undefined
  sort?: string | undefined
}

export type ListSearchChange<Show extends string> = (change: ListSearch<Show>) => void

interface ListWords<Show extends string> {
  /** Parts of a list, each by the states that belong to it. */
  shows: readonly Show[]
  sorts: readonly string[]
}

export const readListSearch =
  <Show extends string>({ shows, sorts }: ListWords<Show>) =>
  (search: Record<string, unknown>): ListSearch<Show> => ({
    q: readText(search.q, 100),
    show: readWord(search.show, shows),
    sort: readSort(search.sort, sorts),
  })
