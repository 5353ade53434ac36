import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { detail } from './registry'
import type { Latency } from './types'

/** The server takes one sample in a minute. */
const SAMPLE_MS = 60_000
const LATENCY_MS = 10_000

export const historyQuery = (objectId: string, hours: number) =>
  queryOptions({
    queryKey: detail('metrics', objectId, hours),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/metrics/history', {
          params: { query: { object_id: objectId, hours } },
        }),
      ),
    refetchInterval: SAMPLE_MS,
  })

export type Measured = 'drive' | 'virtual_drive'

const askLatency = (kind: Measured, id: string) =>
  kind === 'drive'
    ? unwrap(api.GET('/api/v1/drives/{drive_id}/latency', { params: { path: { drive_id: id } } }))
    : unwrap(
        api.GET('/api/v1/virtual-drives/{virtual_drive_id}/latency', {
          params: { path: { virtual_drive_id: id } },
        }),
      )

/** How many requests there had been at a time, since the counters began. */
export interface CountSample {
  /** Of this browser's clock, in milliseconds. */
  at: number
  since: string
  read: number
  write: number
  flush: number
}

export interface Measurements {
  latency: Latency
  /** Of the last while, the oldest first: from two of them follows how many there are in a second. */
  samples: CountSample[]
}

const SAMPLES_MAX = 181

/** The host is asked each time; one that cannot answer is not asked again and again. */
export const latencyQuery = (kind: Measured, id: string) =>
  queryOptions({
    queryKey: detail('latency', id),
    queryFn: async ({ client, queryKey }): Promise<Measurements> => {
      const latency = await askLatency(kind, id)
      const { since, read, write, flush } = latency
      const sample = {
        at: Date.now(),
        since,
        read: read.count,
        write: write.count,
        flush: flush.count,
      }
      const before = client.getQueryData<Measurements>(queryKey)?.samples ?? []
      return { latency, samples: [...before, sample].slice(-SAMPLES_MAX) }
    },
    refetchInterval: (query) => (query.state.error ? false : LATENCY_MS),
    retry: false,
  })

export const badBlocksQuery = (kind: Measured, id: string) =>
  queryOptions({
    queryKey: detail('bad-blocks', id),
    queryFn: () =>
      kind === 'drive'
        ? unwrap(
            api.GET('/api/v1/drives/{drive_id}/bad-blocks', { params: { path: { drive_id: id } } }),
          )
        : unwrap(
            api.GET('/api/v1/virtual-drives/{virtual_drive_id}/bad-blocks', {
              params: { path: { virtual_drive_id: id } },
            }),
          ),
    retry: false,
  })
