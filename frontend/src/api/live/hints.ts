import type { Query, QueryClient } from '@tanstack/react-query'
import { touches } from '../registry'
import type { LiveItem, LiveMessage } from './protocol'
import { refresh } from './refresh'

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

export function isTouched(query: Pick<Query, 'queryKey' | 'state'>, items: LiveItem[]): boolean {
  return items.some(
    (item) => touches(item.kind, query.queryKey, item.id) && !isUpToDate(query.state.data, item),
  )
}

/** Asks again for what a message of the stream touches; data never travel in the stream itself. */
export function applyMessage(client: QueryClient, message: LiveMessage) {
  if (message.type === 'reset') return refresh(client)
  if (message.type === 'end') return refresh(client, ({ queryKey }) => queryKey[0] === 'session')
  if (message.type !== 'change') return undefined
  return refresh(client, (query) => isTouched(query, message.changes))
}
