import { createFileRoute } from '@tanstack/react-router'
import { driveQuery } from '@/api/drives'
import { DrivePage } from '@/features/drives/DrivePage'

export const Route = createFileRoute('/_app/drives/$driveId')({
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(driveQuery(params.driveId)),
  component: Page,
})

function Page() {
  const { driveId } = Route.useParams()
  return <DrivePage key={driveId} driveId={driveId} />
}
