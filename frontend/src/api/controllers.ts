import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import { collect, PAGE_MAX } from './pages'
import { detail, list } from './registry'
import type { Controller, ControllerUpdate, PreservedCache, TaskAction } from './types'

export const controllersQuery = (hostId: string) =>
  queryOptions({
    queryKey: list('controllers', hostId),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/controllers', {
            params: { query: { host_id: hostId, limit: PAGE_MAX, cursor } },
          }),
        ),
      ),
  })

export const controllerQuery = (controllerId: string) =>
  queryOptions({
    queryKey: detail('controllers', controllerId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/controllers/{controller_id}', {
          params: { path: { controller_id: controllerId } },
        }),
      ),
  })

export const enclosuresQuery = (hostId: string) =>
  queryOptions({
    queryKey: list('enclosures', hostId),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/enclosures', {
            params: { query: { host_id: hostId, limit: PAGE_MAX, cursor } },
          }),
        ),
      ),
  })

export function updateController(controller: Controller, body: ControllerUpdate) {
  return unwrap(
    api.PATCH('/api/v1/controllers/{controller_id}', {
      params: { path: { controller_id: controller.id }, header: changeHeaders(controller) },
      body,
    }),
  )
}

export function steerPatrol(controller: Controller, action: TaskAction) {
  return unwrap(
    api.POST('/api/v1/controllers/{controller_id}/actions/patrol-read', {
      params: { path: { controller_id: controller.id }, header: changeHeaders(controller) },
      body: { action },
    }),
  )
}

export function flushCache(controller: Controller) {
  return unwrap(
    api.POST('/api/v1/controllers/{controller_id}/actions/flush-cache', {
      params: { path: { controller_id: controller.id }, header: changeHeaders(controller) },
    }),
  )
}

/** Throws acknowledged writes away; `confirm` is the typed name of their virtual drive. */
export function discardCache(controller: Controller, preserved: PreservedCache, confirm: string) {
  return unwrap(
    api.POST('/api/v1/controllers/{controller_id}/actions/discard-preserved-cache', {
      params: { path: { controller_id: controller.id }, header: changeHeaders(controller) },
      body: { virtual_drive_key: preserved.virtual_drive_key, confirm },
    }),
  )
}
