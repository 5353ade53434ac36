import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { OperationsPage, type OperationsSearch } from '@/features/operations/OperationsPage'
import { readWord } from '@/lib/search'

export const Route = createFileRoute('/_app/operations')({
  validateSearch: (search: Record<string, unknown>): OperationsSearch => ({
    show: readWord(search.show, ['ended']),
  }),
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <OperationsPage
      search={Route.useSearch()}
      onShow={(show) => void navigate({ search: show ? { show } : {}, replace: true })}
    />
  )
}
