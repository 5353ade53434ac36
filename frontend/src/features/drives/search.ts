import { readWord } from '@/lib/search'

export const DRIVE_TABS = ['overview', 'health', 'performance', 'events'] as const

export type DriveTab = (typeof DRIVE_TABS)[number]

export interface DriveSearch {
  tab?: DriveTab | undefined
}

export function readDriveSearch(search: Record<string, unknown>): DriveSearch {
  return { tab: readWord(search.tab, DRIVE_TABS) }
}
