import type { QueryClient } from '@tanstack/react-query'
import { caused } from './caused'

interface Host {
  id: string
  online: boolean
}

function hostsOf(data: unknown): Host[] {
  const items = Array.isArray(data) ? data : [data]
  return items.filter(
    (item): item is Host =>
      typeof item === 'object' && item !== null && 'id' in item && 'online' in item,
  )
}

/**
 * Tells when a host goes offline or comes back, which changes what is possible with its objects.
 * Returns the function that ends the watch.
 */
export function watchPresence(client: QueryClient): () => void {
  const known = new Map<string, boolean>()
  return client.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated' || change.action.type !== 'success') return
    if (change.query.queryKey[0] !== 'hosts') return
    let flipped = false
    for (const host of hostsOf(change.query.state.data)) {
      const before = known.get(host.id)
      flipped ||= before !== undefined && before !== host.online
      known.set(host.id, host.online)
    }
    if (flipped) void caused(client, 'presence')
  })
}
