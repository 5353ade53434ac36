import { readWord } from '@/lib/search'
import { RANGE_WORDS, type Range } from './figures'

export interface HistorySearch {
  range?: Range | undefined
}

export function readHistorySearch(search: Record<string, unknown>): HistorySearch {
  return { range: readWord(search.range, RANGE_WORDS) }
}
