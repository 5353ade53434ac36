import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { problemOf } from '@/lib/problem'
import { Failure } from './Failure'
import { Loading } from './Loading'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  rows?: number
  /** What replaces an object that does not exist; `last`: as it was when it was shown here. */
  gone?: (last: Data | undefined) => ReactNode
}

/** The last answer stays visible when a later request fails, unless it says: gone, or not for you. */
const REPLACING = [403, 404]

/** Whether the server has said that there is no such object. */
export function isGone(query: { error: Error | null }): boolean {
  return query.error !== null && problemOf(query.error).status === 404
}

/** Data once there; before that a placeholder, and on failure the reason. */
export function Loaded<Data>({ query, children, rows, gone }: LoadedProps<Data>) {
  const { data, error } = query
  const status = error ? problemOf(error).status : undefined
  const isReplaced = status !== undefined && REPLACING.includes(status)
  if (isGone(query) && gone) return <>{gone(data)}</>
  if (data !== undefined && !isReplaced) return <>{children(data)}</>
  if (error) return <Failure error={error} onRetry={() => void query.refetch()} />
  return <Loading {...(rows !== undefined && { rows })} />
}
