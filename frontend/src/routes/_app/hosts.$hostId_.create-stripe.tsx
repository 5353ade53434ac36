import { createFileRoute } from '@tanstack/react-router'
import { CreateStripePage } from '@/features/stripes/CreateStripePage'

export const Route = createFileRoute('/_app/hosts/$hostId_/create-stripe')({
  component: Page,
})

function Page() {
  const { hostId } = Route.useParams()
  return <CreateStripePage key={hostId} hostId={hostId} />
}
