import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { DrivesPage, readDrivesSearch } from '@/pages/storage/DrivesPage'

export const Route = createFileRoute('/_app/drives/')({
  validateSearch: readDrivesSearch,
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <DrivesPage
      search={Route.useSearch()}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
