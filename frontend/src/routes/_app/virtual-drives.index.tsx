import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { readVirtualDrivesSearch, VirtualDrivesPage } from '@/pages/storage/VirtualDrivesPage'

export const Route = createFileRoute('/_app/virtual-drives/')({
  validateSearch: readVirtualDrivesSearch,
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <VirtualDrivesPage
      search={Route.useSearch()}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
