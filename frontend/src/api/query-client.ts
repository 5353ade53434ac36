import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ProblemError } from '@/lib/problem'

const RETRIES = 2

function isWorthRetrying(failures: number, error: Error): boolean {
  if (!(error instanceof ProblemError)) return false
  return failures < RETRIES && (error.status === 0 || error.status >= 502)
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
      },
      mutations: { retry: false },
    },
  })
}
