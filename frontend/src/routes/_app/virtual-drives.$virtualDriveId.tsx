import { createFileRoute } from '@tanstack/react-router'
import { virtualDriveQuery } from '@/api/virtual-drives'
import { VirtualDrivePage } from '@/features/virtual-drives/VirtualDrivePage'

export const Route = createFileRoute('/_app/virtual-drives/$virtualDriveId')({
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(virtualDriveQuery(params.virtualDriveId)),
  component: Page,
})

function Page() {
  const { virtualDriveId } = Route.useParams()
  return <VirtualDrivePage key={virtualDriveId} virtualDriveId={virtualDriveId} />
}
