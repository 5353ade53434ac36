import { useQueries } from '@tanstack/react-query'
import { operationsQuery } from '@/api/activity'
import { controllersQuery, enclosuresQuery } from '@/api/controllers'
import { drivesQuery } from '@/api/drives'
import { groupsQuery } from '@/api/groups'
import type { Controller, Drive, DriveGroup, Enclosure, Operation, VirtualDrive } from '@/api/types'
import { virtualDrivesQuery } from '@/api/virtual-drives'

/** Everything one host reports, as its pages need it. */
export interface Inventory {
  controllers: Controller[]
  enclosures: Enclosure[]
  drives: Drive[]
  groups: DriveGroup[]
  virtualDrives: VirtualDrive[]
  operations: Operation[]
}

export function useInventory(hostId: string) {
  return useQueries({
    queries: [
      controllersQuery(hostId),
      enclosuresQuery(hostId),
      drivesQuery(hostId),
      groupsQuery(hostId),
      virtualDrivesQuery(hostId),
      operationsQuery({ host_id: hostId, active: true }),
    ],
    combine: (results) => {
      const [controllers, enclosures, drives, groups, virtualDrives, operations] = results
      const isComplete =
        controllers.data &&
        enclosures.data &&
        drives.data &&
        groups.data &&
        virtualDrives.data &&
        operations.data
      const inventory: Inventory | undefined = isComplete
        ? {
            controllers: controllers.data,
            enclosures: enclosures.data,
            drives: drives.data,
            groups: groups.data,
            virtualDrives: virtualDrives.data,
            operations: operations.data.items,
          }
        : undefined
      return {
        inventory,
        error: results.find((result) => result.error !== null)?.error ?? null,
        retry: () => {
          for (const result of results) if (result.isError) void result.refetch()
        },
      }
    },
  })
}
