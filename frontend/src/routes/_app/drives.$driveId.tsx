import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { driveQuery } from '@/api/drives'
import { DrivePage } from '@/features/drives/DrivePage'
import { readDriveSearch } from '@/features/drives/search'

export const Route = createFileRoute('/_app/drives/$driveId')({
  validateSearch: readDriveSearch,
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(driveQuery(params.driveId)),
  component: Page,
})

function Page() {
  const { driveId } = Route.useParams()
  const { tab } = Route.useSearch()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <DrivePage
      key={driveId}
      driveId={driveId}
      tab={tab}
      onTabChange={(chosen) =>
        void navigate({ search: { tab: chosen }, replace: true, resetScroll: false })
      }
    />
  )
}
