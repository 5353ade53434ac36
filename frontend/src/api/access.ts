import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collect, collectMany, PAGE_MAX, PAGE_SIZE, paged } from './pages'
import { list } from './registry'
import type { ApiTokenCreate, User, UserCreate, UserUpdate } from './types'

/** Who may do what, and who did what: users, API tokens, the audit log. */
export const usersQuery = queryOptions({
  queryKey: list('users'),
  queryFn: () =>
    collect((cursor) =>
      unwrap(api.GET('/api/v1/users', { params: { query: { limit: PAGE_MAX, cursor } } })),
    ),
})

export function createUser(body: UserCreate) {
  return unwrap(api.POST('/api/v1/users', { body }))
}

const ifSeen = (user: User) => ({ 'if-match': `"${user.rev}"` })

export function updateUser(user: User, body: UserUpdate) {
  return unwrap(
    api.PATCH('/api/v1/users/{user_id}', {
      params: { path: { user_id: user.id }, header: ifSeen(user) },
      body,
    }),
  )
}

export function deleteUser(user: User) {
  return unwrap(
    api.DELETE('/api/v1/users/{user_id}', {
      params: { path: { user_id: user.id }, header: ifSeen(user) },
    }),
  )
}

export const tokensQuery = queryOptions({
  queryKey: list('api-tokens'),
  queryFn: () =>
    collect((cursor) =>
      unwrap(api.GET('/api/v1/api-tokens', { params: { query: { limit: PAGE_MAX, cursor } } })),
    ),
})

export function createToken(body: ApiTokenCreate) {
  return unwrap(api.POST('/api/v1/api-tokens', { body }))
}

export function revokeToken(tokenId: string) {
  return unwrap(
    api.DELETE('/api/v1/api-tokens/{token_id}', { params: { path: { token_id: tokenId } } }),
  )
}

export function verifyAudit() {
  return unwrap(api.GET('/api/v1/audit/verification'))
}

export interface AuditFilter {
  actor?: string
  action?: string
  since?: string
  until?: string
}

/** All of it, for a file. */
export const fetchAudit = (filter: AuditFilter) =>
  collectMany((cursor) =>
    unwrap(api.GET('/api/v1/audit', { params: { query: { ...filter, limit: PAGE_MAX, cursor } } })),
  )

export const auditQuery = (filter: AuditFilter) =>
  paged(list('audit', filter), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/audit', {
        params: { query: { ...filter, limit: PAGE_SIZE, cursor } },
        signal,
      }),
    ),
  )
