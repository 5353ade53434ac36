import createClient, { type Middleware } from 'openapi-fetch'
import { noteServerDate } from '@/lib/clock'
import { ProblemError, toProblem, UNREACHABLE } from '@/lib/problem'
import { serverUrl } from '@/lib/root-path'
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
  baseUrl: serverUrl(),
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

/** The command that has ended badly while its request waited: its problem carries it. */
function endedCommand(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('command' in error)) return undefined
  return error.command
}

/**
 * The data, or the server's problem thrown whole. A command is a command, however it ended: whoever
 * follows it says what became of it.
 */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  const ended = endedCommand(error)
  if (ended !== undefined) return ended as Data
  if (!response.ok) throw new ProblemError(toProblem(error, response))
  return data as Data
}
