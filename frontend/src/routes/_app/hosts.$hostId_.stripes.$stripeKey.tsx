import { createFileRoute } from '@tanstack/react-router'
import { virtualDrivesQuery } from '@/api/virtual-drives'
import { StripePage } from '@/features/stripes/StripePage'

export const Route = createFileRoute('/_app/hosts/$hostId_/stripes/$stripeKey')({
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(virtualDrivesQuery(params.hostId)),
  component: Page,
})

function Page() {
  const { hostId, stripeKey } = Route.useParams()
  return <StripePage key={stripeKey} hostId={hostId} stripeKey={stripeKey} />
}
