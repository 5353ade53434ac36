import { readSort, readText, readWord } from '@/lib/search'

export const FLEET_FILTERS = ['attention', 'healthy', 'offline'] as const
export type FleetFilter = (typeof FLEET_FILTERS)[number]

export interface FleetSearch {
  q?: string
  show?: FleetFilter
  sort?: string
}

const SORTABLE = ['host', 'health', 'drives', 'virtualDrives', 'usable', 'operations', 'alerts']

export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return {
    q: readText(search.q, 100),
    show: readWord(search.show, FLEET_FILTERS),
    sort: readSort(search.sort, SORTABLE),
  }
}
