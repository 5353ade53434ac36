import { queryOptions, skipToken } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collect, PAGE_MAX } from './pages'
import { list } from './registry'
import type {
  AnyScenario,
  ChoiceRequest,
  MeasuredRequest,
  SavedScenarioCreate,
  Simulation,
} from './types'

const LOOK_MS = 500

/** Models and workloads: they change with the program only. */
export const catalogueQuery = queryOptions({
  queryKey: list('lab-catalogue'),
  queryFn: () => unwrap(api.GET('/api/v1/lab/catalogue')),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/** What a wish would do, next to the other levels. The same question has the same answer. */
export const choiceQuery = (wish: ChoiceRequest | undefined) =>
  queryOptions({
    queryKey: list('lab-choice', wish),
    queryFn:
      wish === undefined
        ? skipToken
        : ({ signal }) => unwrap(api.POST('/api/v1/lab/choices', { body: wish, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** What loads on a virtual drive ought to give. */
export const measuredQuery = (body: MeasuredRequest) =>
  queryOptions({
    queryKey: list('lab-measured', body),
    queryFn: ({ signal }) => unwrap(api.POST('/api/v1/lab/measured', { body, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const isRunning = (simulation: Simulation) =>
  simulation.state === 'waiting' || simulation.state === 'running'

/** Asks for the simulation of a scenario; then for its progress until it has ended. */
export const simulationQuery = (scenario: AnyScenario | undefined) =>
  queryOptions({
    queryKey: list('lab-simulation', scenario),
    queryFn:
      scenario === undefined
        ? skipToken
        : ({ signal, client, queryKey }) => {
            const known = client.getQueryData<Simulation>(queryKey)
            return known && isRunning(known)
              ? unwrap(
                  api.GET('/api/v1/lab/simulations/{simulation_id}', {
                    params: { path: { simulation_id: known.id } },
                    signal,
                  }),
                )
              : unwrap(api.POST('/api/v1/lab/simulations', { body: scenario, signal }))
          },
    refetchInterval: (query) => (query.state.data && isRunning(query.state.data) ? LOOK_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const cancelSimulation = (id: string) =>
  unwrap(
    api.POST('/api/v1/lab/simulations/{simulation_id}/cancel', {
      params: { path: { simulation_id: id } },
    }),
  )

/** One's own saved scenarios, the newest first. */
export const savedQuery = queryOptions({
  queryKey: list('lab-saved'),
  queryFn: () =>
    collect((cursor) =>
      unwrap(api.GET('/api/v1/lab/scenarios', { params: { query: { limit: PAGE_MAX, cursor } } })),
    ),
})

export const saveScenario = (body: SavedScenarioCreate) =>
  unwrap(api.POST('/api/v1/lab/scenarios', { body }))

export const deleteScenario = (id: string) =>
  unwrap(
    api.DELETE('/api/v1/lab/scenarios/{scenario_id}', { params: { path: { scenario_id: id } } }),
  )
