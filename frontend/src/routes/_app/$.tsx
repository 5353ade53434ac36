import { createFileRoute } from '@tanstack/react-router'
import { NotFoundPage } from '@/pages/shell/NotFoundPage'

export const Route = createFileRoute('/_app/$')({
  component: NotFoundPage,
})
