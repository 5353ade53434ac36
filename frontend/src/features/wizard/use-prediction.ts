import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { choiceQuery } from '@/api/lab'
import type { ChoicePrediction, ChoiceRequest } from '@/api/types'

/** A simulation costs the server a second: only what stands still for a moment is asked. */
const CHOOSING_PAUSE_MS = 600

export interface UsedPrediction {
  result: ChoicePrediction | undefined
  isCurrent: boolean
  error: Error | null
  retry: () => void
}

export function usePrediction(wish: ChoiceRequest | undefined): UsedPrediction {
  const key = JSON.stringify(wish)
  const [asked] = useDebouncedValue(key, CHOOSING_PAUSE_MS)
  const body = asked === undefined ? undefined : (JSON.parse(asked) as ChoiceRequest)
  const query = useQuery({ ...choiceQuery(body), placeholderData: keepPreviousData })
  const isAsked = wish !== undefined && asked === key
  return {
    result: wish === undefined ? undefined : query.data,
    isCurrent: isAsked && !query.isPlaceholderData && !query.isFetching,
    error: isAsked ? query.error : null,
    retry: () => void query.refetch(),
  }
}
