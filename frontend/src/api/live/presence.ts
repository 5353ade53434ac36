import type { QueryClient } from '@tanstack/react-query'
import { refresh } from './refresh'

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
 * A host that goes offline or comes back changes what is possible with all of its objects, though
 * none of them has a new revision: every query but those of hosts is asked again then.
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
    if (flipped) {
      void refresh(client, ({ queryKey }) => !['hosts', 'session'].includes(String(queryKey[0])))
    }
  })
}
