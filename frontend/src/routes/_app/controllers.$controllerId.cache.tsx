import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { controllerQuery } from '@/api/controllers'
import { readHistorySearch } from '@/entities/figures/search'
import { CachePage } from '@/features/cache/CachePage'

export const Route = createFileRoute('/_app/controllers/$controllerId/cache')({
  validateSearch: readHistorySearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(controllerQuery(params.controllerId)),
  component: Page,
})

function Page() {
  const { controllerId } = Route.useParams()
  const { range = 'hours' } = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <CachePage
      key={controllerId}
      controllerId={controllerId}
      range={range}
      onRangeChange={(chosen) =>
        void navigate({ search: { range: chosen }, replace: true, resetScroll: false })
      }
    />
  )
}
