import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { groupQuery } from '@/api/groups'
import { readGroupSearch } from '@/features/groups/search'
import { GroupPage } from '@/pages/groups/GroupPage'

export const Route = createFileRoute('/_app/drive-groups/$groupId')({
  validateSearch: readGroupSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(groupQuery(params.groupId)),
  component: Page,
})

function Page() {
  const { groupId } = Route.useParams()
  const { tab } = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <GroupPage
      key={groupId}
      groupId={groupId}
      tab={tab}
      onTabChange={(chosen) =>
        void navigate({ search: { tab: chosen }, replace: true, resetScroll: false })
      }
    />
  )
}
