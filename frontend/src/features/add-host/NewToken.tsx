import { Button, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { createEnrolmentToken } from '@/api/hosts'
import { caused } from '@/api/live/caused'
import type { EnrolmentTokenCreated } from '@/api/types'
import { problemOf } from '@/lib/problem'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'

const LIFETIMES_MIN = [15, 60, 1440, 10_080] as const
/** The server lets a token for any number of hosts last so long. */
const ANY_LIFETIME_MIN = 1440
const USES_MAX = 10_000
const FOR = ['one', 'some', 'any'] as const
type For = (typeof FOR)[number]

function labelsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((label) => label !== '')
}

function usesOf(whom: For, count: string | number): number | null {
  if (whom === 'any') return null
  return whom === 'one' ? 1 : Number(count)
}

export function NewToken({ onMade }: { onMade: (token: EnrolmentTokenCreated) => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [minutes, setMinutes] = useState<string>('60')
  const [whom, setWhom] = useState<For>('one')
  const [count, setCount] = useState<string | number>(10)
  const [labels, setLabels] = useState('')
  const create = useMutation({
    mutationFn: createEnrolmentToken,
    onSuccess: (made) => {
      void caused(client, 'enrolment_token')
      onMade(made)
    },
  })
  const lifetimes = LIFETIMES_MIN.filter((each) => whom !== 'any' || each <= ANY_LIFETIME_MIN)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (create.isPending) return
    create.mutate({
      name,
      expires_in_minutes: Number(minutes),
      max_uses: usesOf(whom, count),
      labels: labelsOf(labels),
    })
  }

  function choose(next: For) {
    setWhom(next)
    if (next === 'any' && Number(minutes) > ANY_LIFETIME_MIN) setMinutes(String(ANY_LIFETIME_MIN))
  }

  return (
    <Panel title={t('addHost.step1')}>
      <form onSubmit={submit}>
        <Stack gap="md" maw={420}>
          <NativeSelect
            label={t('addHost.for')}
            value={whom}
            data={FOR.map((each) => ({ value: each, label: t(`addHost.forWhom.${each}`) }))}
            onChange={(event) => choose(event.currentTarget.value as For)}
          />
          {whom === 'some' && (
            <NumberInput
              label={t('addHost.count')}
              value={count}
              min={1}
              max={USES_MAX}
              allowDecimal={false}
              required
              onChange={setCount}
            />
          )}
          <NativeSelect
            label={t('addHost.expires')}
            value={minutes}
            data={lifetimes.map((each) => ({
              value: String(each),
              label: t(`addHost.minutes_${each}`),
            }))}
            onChange={(event) => setMinutes(event.currentTarget.value)}
          />
          <TextInput
            label={t('addHost.labels')}
            description={t('addHost.labelsHelp')}
            placeholder={t('addHost.labelsPlaceholder')}
            value={labels}
            onChange={(event) => setLabels(event.currentTarget.value)}
          />
          <TextInput
            label={t('addHost.name')}
            description={t('addHost.nameHelp')}
            placeholder={t('addHost.namePlaceholder')}
            value={name}
            maxLength={64}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {create.error && <ProblemNotice problem={problemOf(create.error)} />}
          <Button type="submit" loading={create.isPending} w="fit-content">
            {t('addHost.make')}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
