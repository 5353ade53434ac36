import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { sessionQuery } from '@/api/session'
import type { Role, User } from '@/api/types'

const layout = getRouteApi('/_app')

/**
 * The user of the page. The layout has let somebody in; while they log out, the pages still drawn
 * belong to that user.
 */
export function useUser(): User {
  const { session } = layout.useRouteContext()
  const { data } = useQuery(sessionQuery)
  return (data ?? session).user
}

const RANK: Record<Role, number> = { viewer: 0, operator: 1, administrator: 2 }

/**
 * Only for pages that belong to a role as a whole. Whether an action on an object is possible comes
 * with the object, in `blocked`.
 */
export function useHasRole(needed: Role): boolean {
  return RANK[useUser().role] >= RANK[needed]
}
