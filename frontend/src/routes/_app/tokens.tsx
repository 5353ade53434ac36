import { createFileRoute } from '@tanstack/react-router'
import { TokensPage } from '@/features/access/TokensPage'

export const Route = createFileRoute('/_app/tokens')({
  component: TokensPage,
})
