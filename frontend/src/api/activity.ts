import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collectMany, PAGE_MAX, PAGE_SIZE, paged } from './pages'
import { list } from './registry'
import type { AlertState, Severity } from './types'

/** Operations, events and alerts: what happens, what happened, and what wants attention. */
export interface OperationFilter {
  host_id?: string
  drive_group_id?: string
  target_id?: string
  active?: boolean
}

export const operationsQuery = (filter: OperationFilter) =>
  queryOptions({
    queryKey: list('operations', filter),
    queryFn: () =>
      unwrap(api.GET('/api/v1/operations', { params: { query: { ...filter, limit: PAGE_MAX } } })),
  })

export const operationListQuery = (filter: OperationFilter) =>
  paged(list('operations', { asked: filter }), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/operations', {
        params: { query: { ...filter, limit: PAGE_SIZE, cursor } },
        signal,
      }),
    ),
  )

export interface EventFilter {
  host_id?: string
  /** Of any of these. */
  object_id?: string[]
  severity?: Severity
  q?: string
  since?: string
  until?: string
}

export const eventsQuery = (filter: EventFilter) =>
  paged(list('events', filter), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/events', {
        params: { query: { ...filter, limit: PAGE_SIZE, cursor } },
        signal,
      }),
    ),
  )

/** All of them, for a file. */
export const fetchEvents = (filter: EventFilter) =>
  collectMany((cursor) =>
    unwrap(
      api.GET('/api/v1/events', { params: { query: { ...filter, limit: PAGE_MAX, cursor } } }),
    ),
  )

export const recentEventsQuery = (filter: EventFilter) =>
  queryOptions({
    queryKey: list('events', { ...filter, recent: true }),
    queryFn: () =>
      unwrap(api.GET('/api/v1/events', { params: { query: { ...filter, limit: 8 } } })),
  })

export interface AlertFilter {
  state?: AlertState[]
  host_id?: string
  object_id?: string
}

export const alertsQuery = (filter: AlertFilter) =>
  queryOptions({
    queryKey: list('alerts', filter),
    queryFn: () =>
      unwrap(api.GET('/api/v1/alerts', { params: { query: { ...filter, limit: PAGE_MAX } } })),
  })

/** The worst first, unless they are over. */
export const alertListQuery = (state: AlertState) =>
  paged(list('alerts', { asked: state }), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/alerts', {
        params: {
          query: {
            state: [state],
            sort: state === 'resolved' ? '-opened_at' : '-severity',
            limit: PAGE_SIZE,
            cursor,
          },
        },
        signal,
      }),
    ),
  )

/** What to look at first in the whole fleet. */
export const urgentAlertsQuery = queryOptions({
  queryKey: list('alerts', { urgent: true }),
  queryFn: () =>
    unwrap(
      api.GET('/api/v1/alerts', {
        params: { query: { state: ['open'], sort: '-severity', limit: 3 } },
      }),
    ),
})

/** How many there are; the first page of a list says it. */
export const alertCountQuery = (state: AlertState) =>
  queryOptions({
    queryKey: list('alerts', { count: state }),
    queryFn: () =>
      unwrap(api.GET('/api/v1/alerts', { params: { query: { state: [state], limit: 1 } } })),
    select: (page) => page.total,
  })

export function acknowledgeAlert(alertId: string, note: string) {
  return unwrap(
    api.POST('/api/v1/alerts/{alert_id}/acknowledge', {
      params: { path: { alert_id: alertId } },
      body: { note },
    }),
  )
}
