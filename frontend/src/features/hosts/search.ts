import { readText, readWord } from '@/lib/search'

export const COLORINGS = ['state', 'group', 'temperature'] as const

export interface HostSearch {
  /** The open bay, by its path without the leading slash: "c0/e252/s3". */
  bay?: string
  color?: (typeof COLORINGS)[number]
}

export function readHostSearch(search: Record<string, unknown>): HostSearch {
  const bay = readText(search.bay, 40)
  return {
    bay: bay && /^c\d+\/e\d+\/s\d+$/.test(bay) ? bay : undefined,
    color: readWord(search.color, COLORINGS),
  }
}

export function bayName(enclosurePath: string, slot: number): string {
  return `${enclosurePath.replace(/^\//, '')}/s${slot}`
}
