import { zodResolver } from '@hookform/resolvers/zod'
import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  PasswordInput,
  Stack,
  TextInput,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { createUser, updateUser } from '@/api/access'
import { caused } from '@/api/live/caused'
import type { User } from '@/api/types'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { FormProblem, showFieldProblems } from '@/ui/form-problem'
import { showToast } from '@/ui/toasts'

export const ROLES = ['viewer', 'operator', 'administrator'] as const
const PASSWORD_MIN = 10

function schema(isNew: boolean) {
  const password = z
    .string()
    .refine((text) => (!isNew && text === '') || text.length >= PASSWORD_MIN, {
      error: i18n.t('users.passwordHelp'),
    })
  return z.object({
    username: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,31}$/, { error: i18n.t('users.usernameHelp') }),
    display_name: z.string().max(64),
    role: z.enum(ROLES),
    password,
    disabled: z.boolean(),
  })
}

type Values = z.infer<ReturnType<typeof schema>>

interface UserDialogProps {
  /** Absent: a new one. */
  user?: User | undefined
  onClose: () => void
}

function send(user: User | undefined, values: Values): Promise<User> {
  if (!user) {
    const { username, display_name, role, password } = values
    return createUser({ username, display_name, role, password })
  }
  // Only what differs, so that a change made elsewhere meanwhile is not undone.
  return updateUser(user, {
    ...(values.display_name !== user.display_name && { display_name: values.display_name }),
    ...(values.role !== user.role && { role: values.role }),
    ...(values.disabled !== user.disabled && { disabled: values.disabled }),
    ...(values.password !== '' && { password: values.password }),
  })
}

export function UserDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const form = useForm<Values>({
    resolver: zodResolver(schema(user === undefined)),
    defaultValues: {
      username: user?.username ?? '',
      display_name: user?.display_name ?? '',
      role: user?.role ?? 'viewer',
      password: '',
      disabled: user?.disabled ?? false,
    },
  })
  const save = useMutation({
    mutationFn: (values: Values) => send(user, values),
    onSettled: () => caused(client, 'user'),
    onSuccess: (saved) => {
      const message = user
        ? t('users.changed', { name: saved.username })
        : t('users.added', { name: saved.username })
      showToast(message)
      onClose()
    },
    onError: (error) => showFieldProblems(form, error),
  })
  const { errors } = form.formState
  return (
    <Modal
      opened
      onClose={onClose}
      title={user ? t('users.editTitle', { name: user.username }) : t('users.addTitle')}
    >
      <form onSubmit={form.handleSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('users.username')}
            description={t('users.usernameHelp')}
            readOnly={user !== undefined}
            autoComplete="off"
            spellCheck={false}
            error={errors.username?.message}
            {...form.register('username')}
          />
          <TextInput
            label={t('users.displayName')}
            autoComplete="off"
            error={errors.display_name?.message}
            {...form.register('display_name')}
          />
          <NativeSelect
            label={t('users.role')}
            data={ROLES.map((role) => ({
              value: role,
              label: `${word('role', role)}: ${word('roleHelp', role)}`,
            }))}
            error={errors.role?.message}
            {...form.register('role')}
          />
          <PasswordInput
            label={user ? t('users.newPassword') : t('users.password')}
            description={user ? t('users.newPasswordHelp') : t('users.passwordHelp')}
            autoComplete="new-password"
            error={errors.password?.message}
            {...form.register('password')}
          />
          {user && <Checkbox label={t('users.disabled')} {...form.register('disabled')} />}
          <FormProblem error={save.error} fields={Object.keys(form.getValues())} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {user ? t('common.save') : t('users.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
