import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { applyMessage } from '@/api/live/hints'
import { holdWhilePressed } from '@/api/live/hold'
import { watchPresence } from '@/api/live/presence'
import type { LiveStatus } from '@/api/live/protocol'
import { refresh } from '@/api/live/refresh'
import { openSharedStream } from '@/api/live/shared-stream'
import { streamAfter } from '@/api/live/stream'
import { sessionQuery } from '@/api/session'
import { rootPath } from '@/lib/root-path'

const STREAM_URL = `${rootPath()}/api/v1/live/stream`
const POLL_MS = 10_000

const LiveContext = createContext<LiveStatus>('off')

export function useLiveStatus(): LiveStatus {
  return useContext(LiveContext)
}

/** Keeps what is on the screen current: by the stream, and by asking while the stream is down. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [status, setStatus] = useState<LiveStatus>('connecting')

  useEffect(() => {
    const session = client.getQueryData(sessionQuery.queryKey)
    const url = session ? streamAfter(STREAM_URL, session.live_position) : STREAM_URL
    return openSharedStream(url, {
      onMessage: (message) => void applyMessage(client, message),
      onStatus: setStatus,
    })
  }, [client])

  useEffect(() => watchPresence(client), [client])

  useEffect(holdWhilePressed, [])

  useEffect(() => {
    if (status !== 'lost') return undefined
    const timer = setInterval(() => void refresh(client), POLL_MS)
    return () => clearInterval(timer)
  }, [client, status])

  return <LiveContext.Provider value={status}>{children}</LiveContext.Provider>
}
