import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { collect, PAGE_MAX } from './pages'

export const groupsQuery = (hostId: string) =>
  queryOptions({
    queryKey: ['drive-groups', 'list', hostId],
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
    queryKey: ['drive-groups', 'detail', groupId],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/drive-groups/{drive_group_id}', {
          params: { path: { drive_group_id: groupId } },
        }),
      ),
  })
