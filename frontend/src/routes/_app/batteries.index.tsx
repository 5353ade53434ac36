import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { BatteriesPage, readBatteriesSearch } from '@/pages/storage/BatteriesPage'

export const Route = createFileRoute('/_app/batteries/')({
  validateSearch: readBatteriesSearch,
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <BatteriesPage
      search={Route.useSearch()}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
