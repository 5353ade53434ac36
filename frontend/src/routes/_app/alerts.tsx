import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { AlertsPage } from '@/features/alerts/AlertsPage'
import { ALERT_STATES, type AlertsSearch } from '@/features/alerts/alerts-search'
import { readWord } from '@/lib/search'

export const Route = createFileRoute('/_app/alerts')({
  validateSearch: (search: Record<string, unknown>): AlertsSearch => ({
    state: readWord(search.state, ALERT_STATES),
  }),
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <AlertsPage
      search={Route.useSearch()}
      onState={(state) =>
        void navigate({ search: state === 'open' ? {} : { state }, replace: true })
      }
    />
  )
}
