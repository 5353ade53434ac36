import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import { detail } from './registry'
import type { Controller, SavedConfiguration } from './types'

const LOOK_MS = 20_000

/** The host is asked each time; one that cannot answer is not asked again and again. */
export const undoQuery = (controllerId: string) =>
  queryOptions({
    queryKey: detail('undo', controllerId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/controllers/{controller_id}/undo', {
          params: { path: { controller_id: controllerId } },
        }),
      ),
    refetchInterval: (query) => (query.state.error ? false : LOOK_MS),
    retry: false,
  })

export function restoreUndo(controller: Controller, saved: SavedConfiguration) {
  return unwrap(
    api.POST('/api/v1/controllers/{controller_id}/actions/restore-undo', {
      params: { path: { controller_id: controller.id }, header: changeHeaders() },
      body: { undo: saved.undo },
    }),
  )
}
