import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { batteryQuery } from '@/api/batteries'
import { readHistorySearch } from '@/entities/figures/search'
import { BatteryPage } from '@/features/batteries/BatteryPage'

export const Route = createFileRoute('/_app/batteries/$batteryId')({
  validateSearch: readHistorySearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(batteryQuery(params.batteryId)),
  component: Page,
})

function Page() {
  const { batteryId } = Route.useParams()
  const { range = 'hours' } = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <BatteryPage
      key={batteryId}
      batteryId={batteryId}
      range={range}
      onRangeChange={(chosen) =>
        void navigate({ search: { range: chosen }, replace: true, resetScroll: false })
      }
    />
  )
}
