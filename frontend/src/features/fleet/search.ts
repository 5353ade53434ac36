import type { HostsAsked } from '@/api/hosts'
import { readSort, readText, readTexts, readWord } from '@/lib/search'

export const FLEET_FILTERS = ['attention', 'healthy', 'offline'] as const
export type FleetFilter = (typeof FLEET_FILTERS)[number]

export interface FleetSearch {
  q?: string
  show?: FleetFilter
  label?: string[]
  sort?: string
}

const SORTABLE = [
  'name',
  'worst_state',
  'drives',
  'virtual_drives',
  'usable_bytes',
  'operations_running',
  'open_alerts',
  'last_seen',
]

export function readFleetSearch(search: Record<string, unknown>): FleetSearch {
  return {
    q: readText(search.q, 100),
    show: readWord(search.show, FLEET_FILTERS),
    label: readTexts(search.label, 16, 63),
    sort: readSort(search.sort, SORTABLE),
  }
}

const PARTS: Record<FleetFilter, HostsAsked> = {
  attention: { alerts: true },
  healthy: { alerts: false, online: true },
  offline: { online: false },
}

/** Which hosts the server is asked for. */
export function askedOf(
  { label = [] }: FleetSearch,
  q: string | null,
  show: FleetFilter | undefined,
): HostsAsked {
  return { q, label, ...(show && PARTS[show]) }
}

export const WORST_FIRST = '-worst_state'

/** The route has read it: it is one of the server's words. */
export const sortOf = ({ sort = WORST_FIRST }: FleetSearch) => sort as HostsAsked['sort']
