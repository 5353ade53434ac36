import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { EventsPage } from '@/features/events/EventsPage'
import { readEventsSearch } from '@/features/events/search'

export const Route = createFileRoute('/_app/events')({
  validateSearch: readEventsSearch,
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <EventsPage
      search={Route.useSearch()}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
