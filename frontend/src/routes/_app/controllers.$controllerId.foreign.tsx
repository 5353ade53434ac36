import { createFileRoute } from '@tanstack/react-router'
import { controllerQuery } from '@/api/controllers'
import { ForeignPage } from '@/features/foreign/ForeignPage'

export const Route = createFileRoute('/_app/controllers/$controllerId/foreign')({
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(controllerQuery(params.controllerId)),
  component: Page,
})

function Page() {
  const { controllerId } = Route.useParams()
  return <ForeignPage key={controllerId} controllerId={controllerId} />
}
