import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { hostQuery } from '@/api/hosts'
import { readHostSearch } from '@/features/hosts/search'
import { HostPage } from '@/pages/hosts/HostPage'

export const Route = createFileRoute('/_app/hosts/$hostId')({
  validateSearch: readHostSearch,
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(hostQuery(params.hostId)),
  component: Page,
})

function Page() {
  const { hostId } = Route.useParams()
  const search = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <HostPage
      hostId={hostId}
      search={search}
      onSearchChange={(change) =>
        void navigate({
          search: (previous) => ({ ...previous, ...change }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  )
}
