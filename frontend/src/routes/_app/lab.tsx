import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { LabPage } from '@/features/lab/LabPage'
import { readLabSearch } from '@/features/lab/search'

export const Route = createFileRoute('/_app/lab')({
  validateSearch: readLabSearch,
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <LabPage
      search={Route.useSearch()}
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
