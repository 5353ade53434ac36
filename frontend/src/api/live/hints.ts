import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import type { LiveItem, LiveMessage } from './protocol'
import { refresh } from './refresh'

/**
 * Which resources a changed object touches. Query keys are [resource, 'list' | 'detail', …], so a
 * hint reaches the lists of its resource and its own detail, and only those that hold an older rev.
 * A preview answers for whatever its host has: it is asked again, also after the host was offline.
 */
const RESOURCES: Record<LiveItem['kind'], string[]> = {
  host: ['hosts', 'fleet', 'preview'],
  controller: ['controllers', 'preview', 'foreign'],
  enclosure: ['enclosures'],
  drive: ['drives', 'preview'],
  drive_group: ['drive-groups', 'preview'],
  virtual_drive: ['virtual-drives', 'preview'],
  battery: ['batteries'],
  operation: ['operations'],
  command: ['commands'],
  event: ['events'],
  alert: ['alerts', 'fleet'],
  user: ['users', 'session'],
}

interface Held {
  id: string
  rev: number
}

function isHeld(value: unknown): value is Held {
  return typeof value === 'object' && value !== null && 'id' in value && 'rev' in value
}

function itemsOf(data: unknown): unknown[] {
  if (typeof data !== 'object' || data === null) return []
  if ('items' in data && Array.isArray(data.items)) return data.items
  if ('pages' in data && Array.isArray(data.pages)) return data.pages.flatMap(itemsOf)
  return Array.isArray(data) ? data : [data]
}

/** True if what the query holds of this object is already as new as the hint. */
function isUpToDate(data: unknown, item: LiveItem): boolean {
  return itemsOf(data).some((held) => isHeld(held) && held.id === item.id && held.rev >= item.rev)
}

function concerns(key: QueryKey, item: LiveItem): boolean {
  const [resource, shape, id] = key
  if (!(RESOURCES[item.kind] ?? []).includes(String(resource))) return false
  return shape !== 'detail' || id === item.id
}

export function isTouched(query: Pick<Query, 'queryKey' | 'state'>, items: LiveItem[]): boolean {
  return items.some((item) => concerns(query.queryKey, item) && !isUpToDate(query.state.data, item))
}

/** Asks again for what a message of the stream touches; data never travel in the stream itself. */
export function applyMessage(client: QueryClient, message: LiveMessage) {
  if (message.type === 'reset') return refresh(client)
  if (message.type === 'end') return client.invalidateQueries({ queryKey: ['session'] })
  if (message.type !== 'change') return undefined
  return refresh(client, (query) => isTouched(query, message.changes))
}
