import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query'
import { ProblemError } from '@/lib/problem'

const RETRIES = 2

function isWorthRetrying(failures: number, error: Error): boolean {
  if (!(error instanceof ProblemError)) return false
  return failures < RETRIES && (error.status === 0 || error.status >= 502)
}

const ASK_AGAIN_MS = 10_000

/** The stream tells of a change only once: what failed to follow it is shown, but old. */
function askAgain({ state: { data, error } }: Query): number | false {
  if (data === undefined || error === null) return false
  const isFinal = error instanceof ProblemError && error.status >= 400 && error.status < 500
  return isFinal ? false : ASK_AGAIN_MS
}

/** Told when the server no longer knows us, whatever request found out. */
export function createQueryClient(onSessionLost: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ProblemError && error.status === 401) onSessionLost()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: isWorthRetrying,
        // The live stream invalidates what changes; age alone is no reason to fetch again.
        staleTime: 60_000,
        refetchOnWindowFocus: true,
        refetchInterval: askAgain,
      },
      mutations: { retry: false },
    },
  })
}
