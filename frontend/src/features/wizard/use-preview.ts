import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PreviewResult, VirtualDrivePreview } from '@/api/types'
import { previewQuery } from '@/api/virtual-drives'

const TYPING_PAUSE_MS = 300

export interface Preview {
  /** The last answer; it may be of an older wish, then `isCurrent` is false. */
  result: PreviewResult | undefined
  isCurrent: boolean
  error: Error | null
  refresh: () => void
}

/** The host's plan for the wish, asked when the user pauses. Nothing is computed here. */
export function usePreview(wish: VirtualDrivePreview | undefined): Preview {
  const key = JSON.stringify(wish)
  const [asked] = useDebouncedValue(key, TYPING_PAUSE_MS)
  const body = asked === undefined ? undefined : (JSON.parse(asked) as VirtualDrivePreview)
  const query = useQuery({ ...previewQuery(body), placeholderData: keepPreviousData })
  const isAsked = wish !== undefined && asked === key
  return {
    result: wish === undefined ? undefined : query.data,
    isCurrent: isAsked && !query.isPlaceholderData && !query.isFetching,
    error: isAsked ? query.error : null,
    refresh: () => void query.refetch(),
  }
}
