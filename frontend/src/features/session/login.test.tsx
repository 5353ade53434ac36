import { act, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'
import { refuse, server } from '@/test/server'

const nobody = () =>
  server.use(refuse('get', '/auth/session', 401, 'not_authenticated', 'Log in first.'))

async function fillIn(user: ReturnType<typeof renderApp>['user'], password: string) {
  await user.type(await screen.findByRole('textbox', { name: 'User name' }), 'ada')
  await user.type(screen.getByLabelText('Password', { selector: 'input' }), password)
  await user.click(screen.getByRole('button', { name: 'Log in' }))
}

describe('login', () => {
  it('sends everybody to the login page first, and back to where they wanted', async () => {
    nobody()
    const { user, router } = renderApp('/events?severity=critical')
    await screen.findByRole('heading', { name: 'Log in' })
    server.use(
      http.post('http://localhost/api/v1/auth/login', () => HttpResponse.json(make.session())),
    )
    await fillIn(user, 'correct horse')
    expect(await screen.findByRole('heading', { level: 1, name: 'Events' })).toBeVisible()
    expect(router.state.location.search).toEqual({ severity: 'critical' })
  })

  it('says that name or password are wrong, and empties the password', async () => {
    nobody()
    server.use(refuse('post', '/auth/login', 401, 'wrong_credentials', 'Wrong.'))
    const { user } = renderApp('/login')
    await fillIn(user, 'guess')
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The user name or the password is wrong.',
    )
    expect(screen.getByLabelText('Password', { selector: 'input' })).toHaveValue('')
  })

  it('tells apart too many attempts', async () => {
    nobody()
    server.use(refuse('post', '/auth/login', 429, 'too_many_attempts', 'Slow down.'))
    const { user } = renderApp('/login')
    await fillIn(user, 'guess')
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many attempts')
  })

  it('never leads to another site', async () => {
    const { router } = renderApp('/login?next=%2F%2Fevil.example%2Fx')
    expect(await screen.findByRole('heading', { level: 1, name: 'Fleet' })).toBeVisible()
    expect(router.state.location.pathname).toBe('/')
  })

  it('leads to the login page when the session ends elsewhere', async () => {
    renderApp('/')
    await screen.findByRole('link', { name: 'alpha' })
    nobody()
    act(() => FakeEventSource.last.say('end', { reason: 'logout' }))
    expect(await screen.findByRole('heading', { name: 'Log in' })).toBeVisible()
  })

  it('logs out and forgets what was seen', async () => {
    const { user, client } = renderApp('/')
    await screen.findByRole('link', { name: 'alpha' })
    server.use(
      http.post(
        'http://localhost/api/v1/auth/logout',
        () => new HttpResponse(null, { status: 204 }),
      ),
    )
    await user.click(screen.getByRole('button', { name: 'Account menu of ada' }))
    await user.click(screen.getByRole('button', { name: 'Log out' }))
    expect(await screen.findByRole('heading', { name: 'Log in' })).toBeVisible()
    expect(client.getQueryData(['hosts', 'list'])).toBeUndefined()
  })
})
