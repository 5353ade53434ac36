import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { GroupsPage, readGroupsSearch } from '@/pages/storage/GroupsPage'

export const Route = createFileRoute('/_app/drive-groups/')({
  validateSearch: readGroupsSearch,
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <GroupsPage
      search={Route.useSearch()}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
