import { zodResolver } from '@hookform/resolvers/zod'
import { Button, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { changePassword } from '@/api/session'
import { useUser } from '@/entities/session/session'
import { i18n } from '@/lib/i18n'
import { FormProblem, showFieldProblems } from '@/ui/form-problem'
import { showToast } from '@/ui/toasts'

const PASSWORD_MIN = 10

const schema = z
  .object({
    old_password: z.string().min(1, { error: () => i18n.t('account.required') }),
    new_password: z.string().min(PASSWORD_MIN, { error: () => i18n.t('account.tooShort') }),
    repeat: z.string(),
  })
  .refine((values) => values.new_password === values.repeat, {
    path: ['repeat'],
    error: () => i18n.t('account.mismatch'),
  })

type Values = z.infer<typeof schema>

export function PasswordForm() {
  const { t } = useTranslation()
  const { username } = useUser()
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { old_password: '', new_password: '', repeat: '' },
  })
  const change = useMutation({
    mutationFn: ({ old_password, new_password }: Values) =>
      changePassword({ old_password, new_password }),
    onSuccess: () => {
      form.reset()
      showToast(t('account.changed'))
    },
    onError: (error) => showFieldProblems(form, error),
  })
  const { errors } = form.formState
  return (
    <form onSubmit={form.handleSubmit((values) => change.mutate(values))} noValidate>
      <Stack gap="md" maw={420}>
        {/* Lets password managers know whose password this is. */}
        <input type="hidden" name="username" autoComplete="username" value={username} readOnly />
        <PasswordInput
          label={t('account.old')}
          autoComplete="current-password"
          error={errors.old_password?.message}
          {...form.register('old_password')}
        />
        <PasswordInput
          label={t('account.new')}
          description={t('account.newHelp')}
          autoComplete="new-password"
          error={errors.new_password?.message}
          {...form.register('new_password')}
        />
        <PasswordInput
          label={t('account.repeat')}
          autoComplete="new-password"
          error={errors.repeat?.message}
          {...form.register('repeat')}
        />
        <FormProblem error={change.error} fields={['old_password', 'new_password']} />
        <Button type="submit" loading={change.isPending} w="fit-content">
          {t('account.submit')}
        </Button>
      </Stack>
    </form>
  )
}
