import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { virtualDriveQuery } from '@/api/virtual-drives'
import { readVirtualDriveSearch } from '@/features/virtual-drives/search'
import { VirtualDrivePage } from '@/pages/virtual-drives/VirtualDrivePage'

export const Route = createFileRoute('/_app/virtual-drives/$virtualDriveId')({
  validateSearch: readVirtualDriveSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(virtualDriveQuery(params.virtualDriveId)),
  component: Page,
})

function Page() {
  const { virtualDriveId } = Route.useParams()
  const { tab, range = 'hours' } = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <VirtualDrivePage
      key={virtualDriveId}
      virtualDriveId={virtualDriveId}
      tab={tab}
      range={range}
      onTabChange={(chosen) =>
        void navigate({ search: { tab: chosen }, replace: true, resetScroll: false })
      }
      onRangeChange={(chosen) =>
        void navigate({ search: { tab, range: chosen }, replace: true, resetScroll: false })
      }
    />
  )
}
