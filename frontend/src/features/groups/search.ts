import { readWord } from '@/lib/search'

export const GROUP_TABS = ['overview', 'members', 'spares', 'operations', 'events'] as const
export type GroupTab = (typeof GROUP_TABS)[number]

export interface GroupSearch {
  tab?: GroupTab | undefined
}

export function readGroupSearch(search: Record<string, unknown>): GroupSearch {
  return { tab: readWord(search.tab, GROUP_TABS) }
}
