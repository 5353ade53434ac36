import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { readWizardSearch } from '@/features/wizard/search'
import { WizardPage } from '@/features/wizard/WizardPage'

export const Route = createFileRoute('/_app/hosts/$hostId_/create')({
  validateSearch: readWizardSearch,
  component: Page,
})

function Page() {
  const { hostId } = Route.useParams()
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <WizardPage
      hostId={hostId}
      search={Route.useSearch()}
      onSearchChange={(search) => void navigate({ search, replace: true, resetScroll: false })}
    />
  )
}
