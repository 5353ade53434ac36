import { readText, readWord } from '@/lib/search'

export const COLORINGS = ['state', 'group', 'temperature'] as const

export const HOST_TABS = ['storage', 'controllers', 'operations', 'events', 'about'] as const
export type HostTab = (typeof HOST_TABS)[number]

export interface HostSearch {
  tab?: HostTab
  /** The open bay, by its path without the leading slash: "c0/e252/s3". */
  bay?: string
  color?: (typeof COLORINGS)[number]
}

export function readHostSearch(search: Record<string, unknown>): HostSearch {
  const bay = readText(search.bay, 40)
  return {
    bay: bay && /^c\d+\/e\d+\/s\d+$/.test(bay) ? bay : undefined,
    color: readWord(search.color, COLORINGS),
    tab: readWord(search.tab, HOST_TABS),
  }
}

export function bayName(enclosurePath: string, slot: number): string {
  return `${enclosurePath.replace(/^\//, '')}/s${slot}`
}
