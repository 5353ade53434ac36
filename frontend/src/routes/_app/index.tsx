import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { FleetPage } from '@/features/fleet/FleetPage'
import { readFleetSearch } from '@/features/fleet/search'

export const Route = createFileRoute('/_app/')({
  validateSearch: readFleetSearch,
  component: Page,
})

function Page() {
  const search = Route.useSearch()
  const navigate = useNavigate({ from: '/' })
  return (
    <FleetPage
      search={search}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
