import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { detail, list } from './registry'

/** How long the server may hold a change open for its outcome before it answers 202. */
const WAIT_S = 8

function idempotencyKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Headers of a change: what the user has seen (so that a change in between is noticed), one key per
 * click (so that a repeated request has one effect), and a short wait for the outcome.
 */
export function changeHeaders(seen?: { config_rev: string }) {
  return {
    ...(seen && { 'if-match': `"${seen.config_rev}"` }),
    'idempotency-key': idempotencyKey(),
    prefer: `wait=${WAIT_S}`,
  }
}

export const commandQuery = (commandId: string) =>
  queryOptions({
    queryKey: detail('commands', commandId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/commands/{command_id}', { params: { path: { command_id: commandId } } }),
      ),
    // The stream tells of changes; this only covers a stream that is down.
    refetchInterval: (query) => (query.state.data?.finished ? false : 5_000),
  })

export const commandsQuery = (targetId: string) =>
  queryOptions({
    queryKey: list('commands', { targetId }),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/commands', { params: { query: { target_id: targetId, limit: 10 } } }),
      ),
  })
