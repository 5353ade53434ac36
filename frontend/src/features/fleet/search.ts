import { readSort, readText, readTexts, readWord } from '@/lib/search'

export const FLEET_FILTERS = ['attention', 'healthy', 'offline'] as const
export type FleetFilter = (typeof FLEET_FILTERS)[number]

export interface FleetSearch {
  q?: string
  show?: FleetFilter
  label?: string[]
  sort?: string
}

const SORTABLE = ['host', 'health', 'drives', 'virtualDrives', 'usable', 'operations', 'alerts']

export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return {
    q: readText(search.q, 100),
    show: readWord(search.show, FLEET_FILTERS),
    label: readTexts(search.label, 16, 63),
    sort: readSort(search.sort, SORTABLE),
  }
}
