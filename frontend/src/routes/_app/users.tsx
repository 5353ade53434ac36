import { createFileRoute } from '@tanstack/react-router'
import { UsersPage } from '@/features/access/UsersPage'

export const Route = createFileRoute('/_app/users')({
  component: UsersPage,
})
