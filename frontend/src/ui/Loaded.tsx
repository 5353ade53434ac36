import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './Failure'
import { Loading } from './Loading'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  rows?: number
}

/** Data once there; before that a placeholder, and on failure the reason. Old data stay visible. */
export function Loaded<Data>({ query, children, rows }: LoadedProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Loading {...(rows !== undefined && { rows })} />
}
