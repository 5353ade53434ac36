import { zodResolver } from '@hookform/resolvers/zod'
import { Button, Checkbox, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { z } from 'zod'
import { createToken } from '@/api/access'
import { caused } from '@/api/live/caused'
import { useUser } from '@/entities/session/session'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { CopyLine } from '@/ui/CopyLine'
import { FormProblem, showFieldProblems } from '@/ui/form-problem'
import { Notice } from '@/ui/Notice'
import { HostChoice } from './HostChoice'
import { ROLES } from './UserDialog'

const LIFETIMES_DAYS = ['7', '30', '90', '365', '0'] as const

const schema = z.object({
  name: z
    .string()
    .trim()
    .min(1, { error: () => i18n.t('account.required') })
    .max(64),
  role: z.enum(ROLES),
  days: z.enum(LIFETIMES_DAYS),
  readOnly: z.boolean(),
  hostIds: z.array(z.string()),
})

type Values = z.infer<typeof schema>

export function TokenDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { role } = useUser()
  const offered = ROLES.slice(0, ROLES.indexOf(role) + 1)
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { name: '', role: 'viewer', days: '90', readOnly: false, hostIds: [] },
  })
  const create = useMutation({
    mutationFn: ({ name, role: wanted, days, readOnly, hostIds }: Values) =>
      createToken({
        name,
        role: wanted,
        read_only: readOnly,
        host_ids: hostIds,
        expires_in_days: days === '0' ? null : Number(days),
      }),
    onSuccess: () => caused(client, 'api_token'),
    onError: (error) => showFieldProblems(form, error),
  })
  const { errors } = form.formState

  if (create.data) {
    return (
      <Modal opened onClose={onClose} title={t('tokens.madeTitle')} closeOnClickOutside={false}>
        <Stack gap="md">
          <Notice tone="warn">{t('tokens.madeText')}</Notice>
          <CopyLine label={t('tokens.madeLabel')} text={create.data.token} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('tokens.madeClose')}</Button>
          </Group>
        </Stack>
      </Modal>
    )
  }
  return (
    <Modal opened onClose={onClose} title={t('tokens.addTitle')}>
      <form onSubmit={form.handleSubmit((values) => create.mutate(values))} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('tokens.name')}
            description={t('tokens.nameHelp')}
            autoComplete="off"
            error={errors.name?.message}
            {...form.register('name')}
          />
          <NativeSelect
            label={t('tokens.role')}
            data={offered.map((each) => ({
              value: each,
              label: `${word('role', each)}: ${word('roleHelp', each)}`,
            }))}
            error={errors.role?.message}
            {...form.register('role')}
          />
          <Checkbox
            label={t('tokens.readOnly')}
            description={t('tokens.readOnlyHelp')}
            {...form.register('readOnly')}
          />
          <HostChoice
            hostIds={form.watch('hostIds')}
            onChange={(hostIds) => form.setValue('hostIds', hostIds)}
          />
          <NativeSelect
            label={t('tokens.expires')}
            description={t('tokens.expiresHelp')}
            data={LIFETIMES_DAYS.map((days) => ({
              value: days,
              label: t(`tokens.days_${days}`),
            }))}
            {...form.register('days')}
          />
          <FormProblem error={create.error} fields={['name', 'role', 'expires_in_days']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('tokens.make')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
