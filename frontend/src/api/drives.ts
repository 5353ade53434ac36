import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import { collect, PAGE_MAX } from './pages'
import { detail, list } from './registry'
import type { Drive, EraseMode, InjectFault, TaskAction } from './types'

export const drivesQuery = (hostId: string) =>
  queryOptions({
    queryKey: list('drives', hostId),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/drives', {
            params: { query: { host_id: hostId, limit: PAGE_MAX, cursor } },
          }),
        ),
      ),
  })

export const driveQuery = (driveId: string) =>
  queryOptions({
    queryKey: detail('drives', driveId),
    queryFn: () =>
      unwrap(api.GET('/api/v1/drives/{drive_id}', { params: { path: { drive_id: driveId } } })),
  })

const target = (drive: Drive) => ({
  params: { path: { drive_id: drive.id }, header: changeHeaders(drive) },
})

/** A light that was started here goes out by itself, should nobody remember it. */
export const LOCATE_SECONDS = 15 * 60

export interface SpareWish {
  drive_group_ids: string[]
  enclosure_affinity: boolean
  non_revertible: boolean
  serial?: string
}

export interface MemberPlace {
  drive_group_id: string
  span: number
  row: number
  serial?: string
}

/** Every change of a drive: one command each. `force` goes only with the typed serial number. */
export const driveChanges = {
  makeHotSpare: (drive: Drive, { serial, ...wish }: SpareWish) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/make-hot-spare', {
        ...target(drive),
        body: { ...wish, force: serial !== undefined, ...(serial !== undefined && { serial }) },
      }),
    ),
  removeHotSpare: (drive: Drive) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/remove-hot-spare', target(drive))),
  rebuild: (drive: Drive, action: TaskAction) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/rebuild', { ...target(drive), body: { action } }),
    ),
  leaveToHost: (drive: Drive) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/jbod', target(drive))),
  copyback: (drive: Drive, action: TaskAction, targetId?: string) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/copyback', {
        ...target(drive),
        body: { action, ...(targetId !== undefined && { target_drive_id: targetId }) },
      }),
    ),
  takeOffline: (drive: Drive) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/offline', target(drive))),
  setOnline: (drive: Drive) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/online', target(drive))),
  erase: (drive: Drive, mode: EraseMode, force: boolean, confirm: string) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/erase', {
        ...target(drive),
        body: { action: 'start', mode, force, confirm },
      }),
    ),
  stopErase: (drive: Drive) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/erase', {
        ...target(drive),
        body: { action: 'stop', force: false },
      }),
    ),
  spin: (drive: Drive, down: boolean) =>
    unwrap(
      down
        ? api.POST('/api/v1/drives/{drive_id}/actions/spin-down', target(drive))
        : api.POST('/api/v1/drives/{drive_id}/actions/spin-up', target(drive)),
    ),
  setMissing: (drive: Drive) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/missing', target(drive))),
  locate: (drive: Drive, on: boolean) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/locate', {
        ...target(drive),
        body: on ? { on, seconds: LOCATE_SECONDS } : { on },
      }),
    ),
  makeGood: (drive: Drive, confirm?: string) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/good', {
        ...target(drive),
        body: { force: confirm !== undefined, ...(confirm !== undefined && { confirm }) },
      }),
    ),
  replace: (drive: Drive, { serial, ...place }: MemberPlace) =>
    unwrap(
      api.POST('/api/v1/drives/{drive_id}/actions/replace', {
        ...target(drive),
        body: { ...place, force: serial !== undefined, ...(serial !== undefined && { serial }) },
      }),
    ),
  resetCounters: (drive: Drive) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/reset-counters', target(drive))),
  injectFault: (drive: Drive, body: InjectFault) =>
    unwrap(api.POST('/api/v1/drives/{drive_id}/actions/fault', { ...target(drive), body })),
}
