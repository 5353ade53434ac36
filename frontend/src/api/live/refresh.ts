import type { Query, QueryClient } from '@tanstack/react-query'

type Concern = (query: Query) => boolean

/** Of each query under way: what has happened since it was asked. */
const waiting = new WeakMap<Query, Concern[]>()

/**
 * Asks again for what a change concerns.
 *
 * The answer to a request under way may be older than the change. Such a request is neither taken
 * for the new state (the query client would, if the query has no data yet or nobody looks at it) nor
 * given up (with a change every 250 ms a slow page would never see an answer, and "Show more" would
 * do nothing): when it has ended, it is asked once more, if it is still concerned then.
 */
export function refresh(client: QueryClient, concerns: Concern = () => true): Promise<void> {
  const underWay = client
    .getQueryCache()
    .findAll({ predicate: (query) => query.promise !== undefined && concerns(query) })
  for (const query of underWay) askAgain(client, query, concerns)
  return client.invalidateQueries({ predicate: concerns }, { cancelRefetch: false })
}

function askAgain(client: QueryClient, query: Query, concern: Concern) {
  const known = waiting.get(query)
  if (known) {
    known.push(concern)
    return
  }
  const concerns = [concern]
  waiting.set(query, concerns)
  const ended = () => {
    waiting.delete(query)
    if (concerns.some((each) => each(query))) void refresh(client, (each) => each === query)
  }
  // What failed is asked again as well: the change is told only once.
  query.promise?.then(ended, ended)
}
