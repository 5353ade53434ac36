import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { type Asked, collect, collectMany, PAGE_MAX, PAGE_SIZE, paged } from './pages'
import { detail, list } from './registry'
import type { EnrolmentTokenCreate, Host } from './types'

export const fleetQuery = queryOptions({
  queryKey: list('fleet'),
  queryFn: () => unwrap(api.GET('/api/v1/fleet')),
})

export type HostsAsked = Asked<'/api/v1/hosts'>

const ROW = ['label', 'labels', 'last_seen', 'online', 'presence', 'rev', 'summary'] as const
export type HostRow = Pick<Host, 'id' | (typeof ROW)[number]>

/** The fleet's hosts: what a row of the list shows of each. */
export const hostListQuery = (asked: HostsAsked) =>
  paged<HostRow>(list('hosts', asked), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/hosts', {
        params: { query: { ...asked, fields: ROW.join(','), limit: PAGE_SIZE, cursor } },
        signal,
      }),
    ),
  )

/** How many hosts there are of a kind; a search that costs too much to count has no number. */
export const hostCountQuery = (asked: HostsAsked) =>
  queryOptions({
    queryKey: list('hosts', { count: asked }),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/v1/hosts', {
          params: { query: { ...asked, fields: 'rev', limit: 1 } },
          signal,
        }),
      ),
    select: (page) => page.total,
  })

export type NamedHost = Pick<Host, 'id' | 'label' | 'labels'>

/** What hosts are called, and their labels: to choose among them. */
export const hostNamesQuery = queryOptions({
  queryKey: list('hosts', 'names'),
  queryFn: () =>
    collectMany<NamedHost>((cursor) =>
      unwrap(
        api.GET('/api/v1/hosts', {
          params: { query: { fields: 'label,labels', limit: PAGE_MAX, cursor } },
        }),
      ),
    ),
})

export const hostQuery = (hostId: string) =>
  queryOptions({
    queryKey: detail('hosts', hostId),
    queryFn: () =>
      unwrap(api.GET('/api/v1/hosts/{host_id}', { params: { path: { host_id: hostId } } })),
  })

export function retireHost(hostId: string, confirm: string) {
  return unwrap(
    api.DELETE('/api/v1/hosts/{host_id}', {
      params: { path: { host_id: hostId }, query: { confirm } },
    }),
  )
}

export const enrolmentTokensQuery = queryOptions({
  queryKey: list('enrolment-tokens'),
  queryFn: () =>
    collect((cursor) =>
      unwrap(
        api.GET('/api/v1/enrolment-tokens', { params: { query: { limit: PAGE_MAX, cursor } } }),
      ),
    ),
})

/** The hosts that enrolled with a token. */
export const enrolledHostsQuery = (tokenId: string) =>
  queryOptions({
    queryKey: list('hosts', { enrolment_token_id: tokenId }),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/hosts', {
            params: { query: { limit: PAGE_MAX, cursor, enrolment_token_id: tokenId } },
          }),
        ),
      ),
  })

/** What to run on a machine; `url`: how it reaches the server, empty: as this page does. */
export const enrolmentLinesQuery = (url: string) =>
  queryOptions({
    queryKey: list('enrolment-tokens', { lines: url }),
    queryFn: () =>
      unwrap(api.GET('/api/v1/enrolment-tokens/lines', { params: { query: { url } } })),
  })

export function createEnrolmentToken(body: EnrolmentTokenCreate) {
  return unwrap(api.POST('/api/v1/enrolment-tokens', { body }))
}

export function revokeEnrolmentToken(tokenId: string) {
  return unwrap(
    api.DELETE('/api/v1/enrolment-tokens/{token_id}', { params: { path: { token_id: tokenId } } }),
  )
}
