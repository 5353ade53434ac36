import { createFileRoute } from '@tanstack/react-router'
import { NotFoundPage } from '@/features/shell/NotFoundPage'

export const Route = createFileRoute('/_app/$')({
  component: NotFoundPage,
})
