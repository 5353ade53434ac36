import { createFileRoute } from '@tanstack/react-router'
import { groupQuery } from '@/api/groups'
import { GroupPage } from '@/features/groups/GroupPage'

export const Route = createFileRoute('/_app/drive-groups/$groupId')({
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(groupQuery(params.groupId)),
  component: Page,
})

function Page() {
  const { groupId } = Route.useParams()
  return <GroupPage key={groupId} groupId={groupId} />
}
