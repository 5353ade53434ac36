import '@/locales/later/access'
import { Button, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { deleteUser, usersQuery } from '@/api/access'
import { caused } from '@/api/live/caused'
import type { User } from '@/api/types'
import { useUser } from '@/entities/session/session'
import { problemOf } from '@/lib/problem'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { DataTable } from '@/ui/DataTable'
import { Loaded } from '@/ui/Loaded'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { showToast } from '@/ui/toasts'
import { UserDialog } from './UserDialog'
import { userColumns } from './user-columns'

type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; user: User }

export function UsersPage() {
  const { t } = useTranslation()
  const self = useUser()
  const users = useQuery(usersQuery)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHeader
        title={t('users.title')}
        actions={
          <Group gap="sm">
            <Button
              leftSection={<Plus size={16} aria-hidden />}
              onClick={() => setOpen({ kind: 'add' })}
            >
              {t('users.add')}
            </Button>
          </Group>
        }
      />
      <Panel title={t('users.title')} flush>
        <Loaded query={users}>
          {(list) => (
            <DataTable
              label={t('users.title')}
              columns={userColumns(self, {
                onEdit: (user) => setOpen({ kind: 'edit', user }),
                onDelete: (user) => setOpen({ kind: 'delete', user }),
              })}
              rows={list}
              rowId={(user) => user.id}
              rowTone={(user) => (user.disabled ? 'dim' : undefined)}
            />
          )}
        </Loaded>
      </Panel>
      {open?.kind === 'add' && <UserDialog onClose={close} />}
      {open?.kind === 'edit' && <UserDialog user={open.user} onClose={close} />}
      {open?.kind === 'delete' && <DeleteUser user={open.user} onClose={close} />}
    </>
  )
}

function DeleteUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteUser(user),
    onSettled: () => caused(client, 'user'),
    onSuccess: () => {
      showToast(t('users.deleted', { name: user.username }))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('users.deleteTitle', { name: user.username })}
      verb={t('users.deleteUser', { name: user.username })}
      grade={{ kind: 'typed', expected: user.username, label: t('users.deleteLabel') }}
      consequences={(['sessions', 'tokens', 'audit'] as const).map((key) =>
        t(`users.deleteConsequences.${key}`),
      )}
      pending={remove.isPending}
      failure={remove.error && <ProblemNotice problem={problemOf(remove.error)} />}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
