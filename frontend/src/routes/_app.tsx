import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Outlet, redirect, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionQuery } from '@/api/session'
import { Shell } from '@/pages/shell/Shell'

export const Route = createFileRoute('/_app')({
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery)
    if (session === null) {
      throw redirect({ to: '/login', search: { next: location.href } })
    }
    return { session }
  },
  component: Layout,
})

function Layout() {
  const router = useRouter()
  const { data } = useQuery(sessionQuery)
  const isOver = data === null

  // The session may end while a page is open: here, in another tab, or on the server.
  useEffect(() => {
    if (isOver) void router.invalidate()
  }, [isOver, router])

  return (
    <Shell>
      <Outlet />
    </Shell>
  )
}
