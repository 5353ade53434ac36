import { createFileRoute, redirect, useRouter } from '@tanstack/react-router'
import { sessionQuery } from '@/api/session'
import { LoginPage } from '@/features/session/LoginPage'
import { readText } from '@/lib/search'

/** Only paths of this console; never another site. */
function readPath(value: unknown): string | undefined {
  const path = readText(value, 500)
  return path && /^\/(?![/\\])/.test(path) ? path : undefined
}

export const Route = createFileRoute('/login')({
  validateSearch: (search: Record<string, unknown>): { next?: string } => ({
    next: readPath(search.next),
  }),
  beforeLoad: async ({ context, search }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session !== null) throw redirect({ href: search.next ?? '/' })
  },
  component: Page,
})

function Page() {
  const router = useRouter()
  // The guard above knows the way once there is a session.
  return <LoginPage onLoggedIn={() => void router.invalidate()} />
}
