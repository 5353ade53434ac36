import { type HistorySearch, readHistorySearch } from '@/entities/figures/search'
import { readWord } from '@/lib/search'

export const VIRTUAL_DRIVE_TABS = [
  'overview',
  'performance',
  'members',
  'policies',
  'operations',
  'events',
  'use',
] as const

export type VirtualDriveTab = (typeof VIRTUAL_DRIVE_TABS)[number]

export interface VirtualDriveSearch extends HistorySearch {
  tab?: VirtualDriveTab | undefined
}

export function readVirtualDriveSearch(search: Record<string, unknown>): VirtualDriveSearch {
  return { tab: readWord(search.tab, VIRTUAL_DRIVE_TABS), ...readHistorySearch(search) }
}
