import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import { detail } from './registry'
import type { Controller, ForeignConfiguration } from './types'

const SCAN_MS = 20_000

/** The host looks at its drives each time; one that cannot answer is not asked again and again. */
export const foreignQuery = (controllerId: string) =>
  queryOptions({
    queryKey: detail('foreign', controllerId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/controllers/{controller_id}/foreign', {
          params: { path: { controller_id: controllerId } },
        }),
      ),
    refetchInterval: (query) => (query.state.error ? false : SCAN_MS),
    retry: false,
  })

/** The host compares the typed name, and refuses if the drives do not say what the user has seen. */
export function clearForeign(controller: Controller, set: ForeignConfiguration, confirm: string) {
  return unwrap(
    api.POST('/api/v1/controllers/{controller_id}/actions/clear-foreign', {
      params: { path: { controller_id: controller.id }, header: changeHeaders() },
      body: { set: set.id, digest: set.digest ?? null, confirm },
    }),
  )
}

/** The digest stands for what the user has seen: the host refuses if the drives say otherwise. */
export function importForeign(controller: Controller, set: ForeignConfiguration) {
  return unwrap(
    api.POST('/api/v1/controllers/{controller_id}/actions/import-foreign', {
      params: { path: { controller_id: controller.id }, header: changeHeaders() },
      body: { set: set.id, digest: set.digest ?? null },
    }),
  )
}
