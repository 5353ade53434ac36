import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { changeHeaders } from './commands'
import { collect, PAGE_MAX } from './pages'
import { detail, list } from './registry'
import type { Battery, BatteryFault, BatteryUpdate } from './types'

export const batteriesQuery = (hostId: string) =>
  queryOptions({
    queryKey: list('batteries', hostId),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/batteries', {
            params: { query: { host_id: hostId, limit: PAGE_MAX, cursor } },
          }),
        ),
      ),
  })

export const batteryQuery = (batteryId: string) =>
  queryOptions({
    queryKey: detail('batteries', batteryId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/batteries/{battery_id}', { params: { path: { battery_id: batteryId } } }),
      ),
  })

const target = (battery: Battery) => ({
  params: { path: { battery_id: battery.id }, header: changeHeaders(battery) },
})

export const batteryChanges = {
  update: (battery: Battery, body: BatteryUpdate) =>
    unwrap(api.PATCH('/api/v1/batteries/{battery_id}', { ...target(battery), body })),
  learn: (battery: Battery) =>
    unwrap(api.POST('/api/v1/batteries/{battery_id}/actions/learn', target(battery))),
  injectFault: (battery: Battery, fault: BatteryFault) =>
    unwrap(
      api.POST('/api/v1/batteries/{battery_id}/actions/fault', {
        ...target(battery),
        body: { fault },
      }),
    ),
}
