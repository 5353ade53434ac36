import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collect, PAGE_MAX } from './pages'
import { detail, list } from './registry'
import type { EnrolmentTokenCreate } from './types'

export const fleetQuery = queryOptions({
  queryKey: list('fleet'),
  queryFn: () => unwrap(api.GET('/api/v1/fleet')),
})

export const hostsQuery = queryOptions({
  queryKey: list('hosts'),
  queryFn: () =>
    collect((cursor) =>
      unwrap(api.GET('/api/v1/hosts', { params: { query: { limit: PAGE_MAX, cursor } } })),
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
