import { createFileRoute } from '@tanstack/react-router'
import { controllerQuery } from '@/api/controllers'
import { UndoPage } from '@/features/undo/UndoPage'

export const Route = createFileRoute('/_app/controllers/$controllerId/undo')({
  loader: ({ context, params }) =>
    void context.queryClient.prefetchQuery(controllerQuery(params.controllerId)),
  component: Page,
})

function Page() {
  const { controllerId } = Route.useParams()
  return <UndoPage key={controllerId} controllerId={controllerId} />
}
