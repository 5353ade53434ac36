import { queryOptions, skipToken } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import { collect, PAGE_MAX } from './pages'
import { detail, list } from './registry'
import type {
  Measure,
  PolicyPreview,
  TaskAction,
  VirtualDrive,
  VirtualDriveCreate,
  VirtualDriveExpand,
  VirtualDrivePreview,
  VirtualDriveUpdate,
} from './types'

export const virtualDrivesQuery = (hostId: string) =>
  queryOptions({
    queryKey: list('virtual-drives', hostId),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/virtual-drives', {
            params: { query: { host_id: hostId, limit: PAGE_MAX, cursor } },
          }),
        ),
      ),
  })

export const virtualDriveQuery = (virtualDriveId: string) =>
  queryOptions({
    queryKey: detail('virtual-drives', virtualDriveId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/virtual-drives/{virtual_drive_id}', {
          params: { path: { virtual_drive_id: virtualDriveId } },
        }),
      ),
  })

/** The host's own plan for a wish. Nothing here knows a RAID rule; nothing is changed. */
export const previewQuery = (wish: VirtualDrivePreview | undefined) =>
  queryOptions({
    queryKey: list('preview', wish),
    queryFn:
      wish === undefined
        ? skipToken
        : ({ signal }) =>
            unwrap(api.POST('/api/v1/virtual-drives/preview', { body: wish, signal })),
    staleTime: 5_000,
    gcTime: 30_000,
    retry: false,
  })

/** What the host says these policies would become of a virtual drive. Nothing is changed. */
export const policyPreviewQuery = (virtualDrive: VirtualDrive, wish: PolicyPreview | undefined) =>
  queryOptions({
    queryKey: detail('policy-preview', virtualDrive.id, virtualDrive.rev, wish),
    queryFn:
      wish === undefined
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.POST('/api/v1/virtual-drives/{virtual_drive_id}/policy-preview', {
                params: { path: { virtual_drive_id: virtualDrive.id } },
                body: wish,
                signal,
              }),
            ),
    staleTime: 5_000,
    gcTime: 30_000,
    retry: false,
  })

const target = (virtualDrive: VirtualDrive) => ({
  params: {
    path: { virtual_drive_id: virtualDrive.id },
    header: changeHeaders(virtualDrive),
  },
})

export const virtualDriveChanges = {
  create: (body: VirtualDriveCreate, controller: { config_rev: string }) =>
    unwrap(
      api.POST('/api/v1/virtual-drives', { params: { header: changeHeaders(controller) }, body }),
    ),
  update: (virtualDrive: VirtualDrive, body: VirtualDriveUpdate) =>
    unwrap(
      api.PATCH('/api/v1/virtual-drives/{virtual_drive_id}', { ...target(virtualDrive), body }),
    ),
  remove: (virtualDrive: VirtualDrive, confirm: string, force: boolean) =>
    unwrap(
      api.DELETE('/api/v1/virtual-drives/{virtual_drive_id}', {
        ...target(virtualDrive),
        body: { confirm, force },
      }),
    ),
  zero: (virtualDrive: VirtualDrive, confirm: string) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/initialize', {
        ...target(virtualDrive),
        body: { confirm, unless_content: false },
      }),
    ),
  resetCounters: (virtualDrive: VirtualDrive) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/reset-counters', {
        ...target(virtualDrive),
      }),
    ),
  flushCache: (virtualDrive: VirtualDrive) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/flush-cache', {
        ...target(virtualDrive),
      }),
    ),
  clearDoubt: (virtualDrive: VirtualDrive) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/clear-doubt', {
        ...target(virtualDrive),
      }),
    ),
  expand: (virtualDrive: VirtualDrive, body: VirtualDriveExpand) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/expand', {
        ...target(virtualDrive),
        body,
      }),
    ),
  measure: (virtualDrive: VirtualDrive, body: Measure) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/measure', {
        ...target(virtualDrive),
        body,
      }),
    ),
  checkConsistency: (virtualDrive: VirtualDrive, action: TaskAction) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/consistency-check', {
        ...target(virtualDrive),
        body: { action, correct: false },
      }),
    ),
  initialize: (virtualDrive: VirtualDrive, action: TaskAction) =>
    unwrap(
      api.POST('/api/v1/virtual-drives/{virtual_drive_id}/actions/bgi', {
        ...target(virtualDrive),
        body: { action },
      }),
    ),
}
