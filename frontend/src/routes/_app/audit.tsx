import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { AuditPage, type AuditSearch } from '@/features/access/AuditPage'
import { readDay } from '@/lib/days'
import { readText } from '@/lib/search'

export const Route = createFileRoute('/_app/audit')({
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    actor: readText(search.actor, 64),
    action: readText(search.action, 64),
    from: readDay(search.from),
    to: readDay(search.to),
  }),
  component: Page,
})

function Page() {
  const navigate = useNavigate({ from: Route.fullPath })
  return (
    <AuditPage
      search={Route.useSearch()}
      onSearchChange={(change) =>
        void navigate({ search: (previous) => ({ ...previous, ...change }), replace: true })
      }
    />
  )
}
