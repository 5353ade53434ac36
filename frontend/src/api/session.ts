import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ProblemError } from '@/lib/problem'
import { api, setCsrfToken, unwrap } from './client'
import { list } from './registry'
import type { Session } from './types'

const sessionKey = list('session')

/** Null: nobody is logged in. That is an answer, not a failure. */
async function fetchSession(): Promise<Session | null> {
  try {
    const session = await unwrap(api.GET('/api/v1/auth/session'))
    setCsrfToken(session.csrf_token)
    return session
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error
    setCsrfToken(null)
    return null
  }
}

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: fetchSession,
  staleTime: Number.POSITIVE_INFINITY,
})

export async function logIn(credentials: { username: string; password: string }) {
  const session = await unwrap(api.POST('/api/v1/auth/login', { body: credentials }))
  setCsrfToken(session.csrf_token)
  return session
}

export async function logOut() {
  await unwrap(api.POST('/api/v1/auth/logout'))
  setCsrfToken(null)
}

/** What the login has answered, or null: nobody is logged in any more. */
export function noteSession(client: QueryClient, session: Session | null) {
  client.setQueryData(sessionKey, session)
}

/** Nothing of this user may be seen by the next one. */
export function forgetAnswers(client: QueryClient) {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
}

export function changePassword(body: { old_password: string; new_password: string }) {
  return unwrap(api.POST('/api/v1/auth/password', { body }))
}

export const versionQuery = queryOptions({
  queryKey: list('version'),
  queryFn: () => unwrap(api.GET('/api/v1/version')),
  staleTime: Number.POSITIVE_INFINITY,
})
