import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collect, PAGE_MAX } from './pages'

export const fleetQuery = queryOptions({
  queryKey: ['fleet', 'list'],
  queryFn: () => unwrap(api.GET('/api/v1/fleet')),
})

export const hostsQuery = queryOptions({
  queryKey: ['hosts', 'list'],
  queryFn: () =>
    collect((cursor) =>
      unwrap(api.GET('/api/v1/hosts', { params: { query: { limit: PAGE_MAX, cursor } } })),
    ),
})

export const hostQuery = (hostId: string) =>
  queryOptions({
    queryKey: ['hosts', 'detail', hostId],
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
  queryKey: ['enrolment-tokens', 'list'],
  queryFn: () =>
    collect((cursor) =>
      unwrap(
        api.GET('/api/v1/enrolment-tokens', { params: { query: { limit: PAGE_MAX, cursor } } }),
      ),
    ),
})

export function createEnrolmentToken(body: { name: string; expires_in_minutes: number }) {
  return unwrap(api.POST('/api/v1/enrolment-tokens', { body }))
}

export function revokeEnrolmentToken(tokenId: string) {
  return unwrap(
    api.DELETE('/api/v1/enrolment-tokens/{token_id}', { params: { path: { token_id: tokenId } } }),
  )
}
