import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { enrolmentLinesQuery } from '@/api/hosts'
import type { EnrolmentLines, EnrolmentTokenCreated } from '@/api/types'
import { problemOf } from '@/lib/problem'
import { serverUrl } from '@/lib/root-path'
import { CopyLine } from '@/ui/CopyLine'
import { FilterPills } from '@/ui/FilterPills'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'

const FORMS = ['installed', 'package', 'container'] as const
type Form = (typeof FORMS)[number]

/** The line for the machine, with an address that works from there. */
export function RunLine({ token }: { token: EnrolmentTokenCreated }) {
  const { t } = useTranslation()
  const [address, setAddress] = useState('')
  const [form, setForm] = useState<Form>('installed')
  const lines = useQuery(enrolmentLinesQuery(address))
  return (
    <Panel title={t('addHost.step2')}>
      <Stack gap="md">
        {lines.data && <Address key={lines.data.url} lines={lines.data} onChange={setAddress} />}
        {lines.error && (
          <>
            <ProblemNotice problem={problemOf(lines.error)} />
            <Button variant="default" w="fit-content" onClick={() => setAddress('')}>
              {t('addHost.addressReset')}
            </Button>
          </>
        )}
        <FilterPills
          label={t('addHost.form')}
          value={form}
          options={FORMS.map((value) => ({ value, label: t(`addHost.forms.${value}`) }))}
          onChange={setForm}
        />
        <p>{t(`addHost.formHelp.${form}`)}</p>
        {lines.data && (
          <CopyLine
            label={t('addHost.line')}
            text={lineOf(lines.data, form).replace('TOKEN', token.token)}
          />
        )}
        <Notice tone="info">
          {t('addHost.once', { count: token.max_uses ?? 0, context: usesContext(token) })}
        </Notice>
      </Stack>
    </Panel>
  )
}

function usesContext(token: EnrolmentTokenCreated) {
  if (token.max_uses === null) return 'any'
  return token.max_uses === 1 ? 'one' : 'some'
}

function lineOf(lines: EnrolmentLines, form: Form): string {
  return lines.lines.find((each) => each.form === form)?.line ?? ''
}

interface AddressProps {
  lines: EnrolmentLines
  onChange: (address: string) => void
}

function Address({ lines, onChange }: AddressProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(lines.url)
  const mine = serverUrl()

  function submit(event: FormEvent) {
    event.preventDefault()
    onChange(typed.trim())
  }

  return (
    <>
      <form onSubmit={submit}>
        <Group align="end" gap="sm">
          <TextInput
            label={t('addHost.address')}
            description={t('addHost.addressHelp')}
            value={typed}
            maxLength={300}
            w={420}
            maw="100%"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {typed.trim() !== lines.url && (
            <Button type="submit" variant="default">
              {t('addHost.addressUse')}
            </Button>
          )}
        </Group>
      </form>
      {lines.loopback && <Notice tone="warn">{t('addHost.loopback', { url: lines.url })}</Notice>}
      {lines.url !== mine && (
        <Button variant="default" size="compact-sm" w="fit-content" onClick={() => onChange(mine)}>
          {t('addHost.addressMine', { url: mine })}
        </Button>
      )}
    </>
  )
}
