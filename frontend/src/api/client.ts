import createClient, { type Middleware } from 'openapi-fetch'
import { noteServerDate } from '@/lib/clock'
import { ProblemError, toProblem, UNREACHABLE } from '@/lib/problem'
import type { paths } from './schema.gen'

let csrfToken: string | null = null

/** The session hands it out; every request that changes something sends it back. */
export function setCsrfToken(token: string | null) {
  csrfToken = token
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

const headers: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== null && !SAFE_METHODS.includes(request.method)) {
      request.headers.set('X-CSRF-Token', csrfToken)
    }
    return request
  },
  onResponse({ response }) {
    noteServerDate(response.headers.get('Date'))
    return undefined
  },
  onError() {
    return new ProblemError(UNREACHABLE)
  },
}

export const api = createClient<paths>({
  baseUrl: typeof window === 'undefined' ? '' : window.location.origin,
  credentials: 'same-origin',
  // Looked up at each call, so that tests can stand in for the network.
  fetch: (request) => globalThis.fetch(request),
})
api.use(headers)

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The data, or the server's problem thrown whole. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  if (!response.ok) throw new ProblemError(toProblem(error, response))
  return data as Data
}
