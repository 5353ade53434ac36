import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { logIn, noteSession } from '@/api/session'
import { problemOf } from '@/lib/problem'
import { Logo } from '@/ui/Logo'
import { Notice } from '@/ui/Notice'
import { ProblemNotice } from '@/ui/ProblemNotice'
import classes from './LoginPage.module.css'

export function LoginPage({ onLoggedIn }: { onLoggedIn: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const login = useMutation({
    mutationFn: logIn,
    onSuccess: (session) => {
      noteSession(client, session)
      onLoggedIn()
    },
    onError: () => setPassword(''),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!login.isPending) login.mutate({ username, password })
  }

  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo size={44} />
        <h1 tabIndex={-1}>{t('login.title')}</h1>
        <form onSubmit={submit}>
          <Stack gap="md">
            <TextInput
              label={t('login.username')}
              name="username"
              autoComplete="username"
              autoCapitalize="off"
              spellCheck={false}
              required
              withAsterisk={false}
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordInput
              label={t('login.password')}
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            {login.error && <LoginFailure error={login.error} />}
            <Button type="submit" loading={login.isPending} fullWidth>
              {t('login.submit')}
            </Button>
          </Stack>
        </form>
        <p className={classes.hint}>{t('login.hint')}</p>
      </div>
    </main>
  )
}

function LoginFailure({ error }: { error: Error }) {
  const { t } = useTranslation()
  const problem = problemOf(error)
  if (problem.status === 401) {
    return (
      <Notice tone="crit" live>
        {t('login.wrong')}
      </Notice>
    )
  }
  if (problem.status === 429) {
    return (
      <Notice tone="warn" live>
        {t('login.tooMany')}
      </Notice>
    )
  }
  return <ProblemNotice problem={problem} />
}
