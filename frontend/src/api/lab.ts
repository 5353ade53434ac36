import { queryOptions, skipToken } from '@tanstack/react-query'
import { api, unwrap } from './client'
import type { ChoiceRequest } from './types'

/** Models and workloads: they change with the program only. */
export const catalogueQuery = queryOptions({
  queryKey: ['lab', 'catalogue'],
  queryFn: () => unwrap(api.GET('/api/v1/lab/catalogue')),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/** What a wish would do, next to the other levels. The same question has the same answer. */
export const choiceQuery = (wish: ChoiceRequest | undefined) =>
  queryOptions({
    queryKey: ['lab', 'choice', wish],
    queryFn:
      wish === undefined
        ? skipToken
        : ({ signal }) => unwrap(api.POST('/api/v1/lab/choices', { body: wish, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
