import { Button, Group } from '@mantine/core'
import type { User } from '@/api/types'
import { blockedText, word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { ActionButton } from '@/ui/ActionButton'
import type { Column } from '@/ui/DataTable'
import { Timestamp } from '@/ui/Quantity'
import { Status } from '@/ui/Status'

interface UserActions {
  onEdit: (user: User) => void
  onDelete: (user: User) => void
}

export function userColumns(self: User, actions: UserActions): Column<User>[] {
  return [
    {
      id: 'user',
      header: i18n.t('users.columns.user'),
      isRowHeader: true,
      cell: (user) => {
        const own = user.id === self.id ? ` (${i18n.t('users.you')})` : ''
        const name = user.display_name ? ` · ${user.display_name}` : ''
        return `${user.username}${name}${own}`
      },
    },
    { id: 'role', header: i18n.t('users.columns.role'), cell: (user) => word('role', user.role) },
    {
      id: 'state',
      header: i18n.t('users.columns.state'),
      cell: (user) => (
        <Status tone={user.disabled ? 'idle' : 'ok'}>
          {user.disabled ? i18n.t('users.disabledState') : i18n.t('users.active')}
        </Status>
      ),
    },
    {
      id: 'login',
      header: i18n.t('users.columns.login'),
      cell: (user) =>
        user.last_login_at ? <Timestamp time={user.last_login_at} /> : i18n.t('users.never'),
    },
    {
      id: 'created',
      header: i18n.t('users.columns.created'),
      wideOnly: true,
      cell: (user) => <Timestamp time={user.created_at} />,
    },
    {
      id: 'actions',
      header: i18n.t('users.columns.actions'),
      cell: (user) => (
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            aria-label={i18n.t('users.editUser', { name: user.username })}
            onClick={() => actions.onEdit(user)}
          >
            {i18n.t('users.edit')}
          </Button>
          <ActionButton
            variant="light"
            color="red"
            size="compact-sm"
            aria-label={i18n.t('users.deleteUser', { name: user.username })}
            blockedReason={blockedText(user.blocked, 'delete')}
            onClick={() => actions.onDelete(user)}
          >
            {i18n.t('users.delete')}
          </ActionButton>
        </Group>
      ),
    },
  ]
}
