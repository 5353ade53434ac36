import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collect, PAGE_MAX } from './pages'
import { detail, list } from './registry'

export const groupsQuery = (hostId: string) =>
  queryOptions({
    queryKey: list('drive-groups', hostId),
    queryFn: () =>
      collect((cursor) =>
        unwrap(
          api.GET('/api/v1/drive-groups', {
            params: { query: { host_id: hostId, limit: PAGE_MAX, cursor } },
          }),
        ),
      ),
  })

export const groupQuery = (groupId: string) =>
  queryOptions({
    queryKey: detail('drive-groups', groupId),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/drive-groups/{drive_group_id}', {
          params: { path: { drive_group_id: groupId } },
        }),
      ),
  })
