import { createFileRoute } from '@tanstack/react-router'
import { AddHostPage } from '@/features/add-host/AddHostPage'

export const Route = createFileRoute('/_app/hosts/add')({
  component: AddHostPage,
})
