import { api, unwrap } from './client'
import { type Asked, PAGE_SIZE, paged } from './pages'
import { list } from './registry'
import type { Battery, Drive, DriveGroup, VirtualDrive } from './types'

/**
 * What all hosts together have, of each kind. These lists may be very long: the server searches and
 * sorts them, and sends of each object only what a row shows.
 */
const COMMON = ['rev', 'path', 'host_id', 'host_name', 'online', 'state'] as const
type Common = 'id' | (typeof COMMON)[number]

const DRIVE = [...COMMON, 'size_bytes', 'model', 'serial', 'temperature_c'] as const
const GROUP = [...COMMON, 'level', 'size_bytes', 'free_bytes'] as const
const VIRTUAL_DRIVE = [
  ...COMMON,
  'name',
  'level',
  'size_bytes',
  'drive_failures_left',
  'write_policy',
] as const
const BATTERY = [...COMMON, 'kind', 'model', 'serial', 'charge_percent', 'temperature_c'] as const

export type ListedDrive = Pick<Drive, Common | (typeof DRIVE)[number]>
export type ListedGroup = Pick<DriveGroup, Common | (typeof GROUP)[number]>
export type ListedVirtualDrive = Pick<VirtualDrive, Common | (typeof VIRTUAL_DRIVE)[number]>
export type ListedBattery = Pick<Battery, Common | (typeof BATTERY)[number]>

const page = (fields: readonly string[], cursor: string | null) => ({
  fields: fields.join(','),
  limit: PAGE_SIZE,
  cursor,
})

export const driveListQuery = (asked: Asked<'/api/v1/drives'>) =>
  paged<ListedDrive>(list('drives', { asked }), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/drives', {
        params: { query: { ...asked, ...page(DRIVE, cursor) } },
        signal,
      }),
    ),
  )

export const groupListQuery = (asked: Asked<'/api/v1/drive-groups'>) =>
  paged<ListedGroup>(list('drive-groups', { asked }), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/drive-groups', {
        params: { query: { ...asked, ...page(GROUP, cursor) } },
        signal,
      }),
    ),
  )

export const virtualDriveListQuery = (asked: Asked<'/api/v1/virtual-drives'>) =>
  paged<ListedVirtualDrive>(list('virtual-drives', { asked }), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/virtual-drives', {
        params: { query: { ...asked, ...page(VIRTUAL_DRIVE, cursor) } },
        signal,
      }),
    ),
  )

export const batteryListQuery = (asked: Asked<'/api/v1/batteries'>) =>
  paged<ListedBattery>(list('batteries', { asked }), (cursor, signal) =>
    unwrap(
      api.GET('/api/v1/batteries', {
        params: { query: { ...asked, ...page(BATTERY, cursor) } },
        signal,
      }),
    ),
  )
