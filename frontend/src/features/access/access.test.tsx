import { screen, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, refuse, server } from '@/test/server'

describe('users', () => {
  it('shows the server’s complaint at the field it belongs to', async () => {
    server.use(
      http.post('http://localhost/api/v1/users', () =>
        HttpResponse.json(
          {
            ...make.problem(422, 'validation_failed', 'The request is not valid.'),
            errors: [{ pointer: '/username', message: 'is reserved' }],
          },
          { status: 422 },
        ),
      ),
    )
    const { user } = renderApp('/users')
    await user.click(await screen.findByRole('button', { name: 'Add user' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a user' }))
    await user.type(dialog.getByRole('textbox', { name: 'User name' }), 'root')
    await user.type(dialog.getByLabelText('Password', { selector: 'input' }), 'long enough 1')
    await user.click(dialog.getByRole('button', { name: 'Add user' }))
    expect(await dialog.findByText('is reserved')).toBeVisible()
    expect(dialog.getByRole('textbox', { name: 'User name' })).toBeInvalid()
    expect(dialog.queryByRole('alert')).toBeNull()
  })

  it('checks what can be checked before sending', async () => {
    const { user } = renderApp('/users')
    await user.click(await screen.findByRole('button', { name: 'Add user' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: 'User name' }), 'No Spaces')
    await user.type(dialog.getByLabelText('Password', { selector: 'input' }), 'short')
    await user.click(dialog.getByRole('button', { name: 'Add user' }))
    expect(await dialog.findAllByText('At least 10 characters.')).toHaveLength(2)
    expect(dialog.getByRole('textbox', { name: 'User name' })).toBeInvalid()
  })

  it('tells that somebody else was faster', async () => {
    server.use(refuse('patch', '/users/:id', 412, 'stale_precondition', 'Changed.'))
    const { user } = renderApp('/users')
    await user.click(await screen.findByRole('button', { name: 'Change ada' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: 'Full name' }), '!')
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    expect(await dialog.findByRole('alert')).toHaveTextContent(/changed this since you looked/)
  })
})

describe('the audit log', () => {
  it('names what an entry is about, with the way there', async () => {
    const entry = {
      seq: 7,
      at: '2026-11-20T12:00:00Z',
      actor: 'ada',
      action: 'vd_delete',
      target: 'virtual_drive 4152',
      outcome: 'requested',
      address: '',
      hash: 'c0ffee',
    }
    const detail = {
      command_id: 'c',
      target_id: make.VIRTUAL_DRIVE_ID,
      name: 'data',
      host: 'alpha',
    }
    server.use(
      list('/audit', [
        { ...entry, detail },
        { ...entry, seq: 6, action: 'host.enrol', target: 'beta', detail: { host_id: 'h2' } },
        { ...entry, seq: 5, detail: { command_id: 'b' } },
      ]),
    )
    renderApp('/audit')
    expect(await screen.findByRole('link', { name: 'data' })).toHaveAttribute(
      'href',
      `/virtual-drives/${make.VIRTUAL_DRIVE_ID}`,
    )
    expect(screen.getByRole('link', { name: 'beta' })).toHaveAttribute('href', '/hosts/h2')
    expect(screen.getByText('virtual_drive 4152')).toBeVisible()
    expect(screen.queryByText(/command_id/)).toBeNull()
  })

  it('is verified on request', async () => {
    server.use(
      get('/audit/verification', {
        intact: true,
        entries: 12,
        first_broken: null,
        last_hash: 'c0ffee',
      }),
    )
    const { user } = renderApp('/audit')
    await user.click(await screen.findByRole('button', { name: 'Verify the log' }))
    expect(await screen.findByText('The log is intact')).toBeVisible()
    expect(screen.getByText(/All 12 entries .* c0ffee/)).toBeVisible()
  })

  it('says where it is broken', async () => {
    server.use(
      get('/audit/verification', {
        intact: false,
        entries: 3,
        first_broken: 4,
        last_hash: 'c0ffee',
      }),
    )
    const { user } = renderApp('/audit')
    await user.click(await screen.findByRole('button', { name: 'Verify the log' }))
    expect(await screen.findByText('The log is broken at entry 4')).toBeVisible()
  })
})

describe('API tokens', () => {
  it('shows a new token once', async () => {
    const create = record('post', '/api-tokens', {
      id: 't',
      name: 'ci',
      prefix: 'aw_1',
      role: 'viewer',
      read_only: true,
      host_ids: [make.HOST_ID],
      hosts: [{ id: make.HOST_ID, name: 'alpha' }],
      made_with: null,
      username: 'ada',
      created_at: '2026-11-20T12:00:00Z',
      expires_at: null,
      last_used_at: null,
      token: 'aw_secret',
    })
    server.use(create.handler)
    const { user } = renderApp('/tokens')
    await user.click(await screen.findByRole('button', { name: 'Make a token' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'ci')
    await user.click(dialog.getByRole('checkbox', { name: 'Read only' }))
    const hosts = dialog.getByRole('combobox', { name: 'Hosts' })
    await user.selectOptions(hosts, await dialog.findByRole('option', { name: 'alpha' }))
    await user.click(dialog.getByRole('button', { name: 'Remove alpha' }))
    expect(hosts).toHaveDisplayValue('All hosts')
    await user.selectOptions(hosts, dialog.getByRole('option', { name: 'alpha' }))
    await user.click(dialog.getByRole('button', { name: 'Make token' }))
    expect(await screen.findByText('aw_secret')).toBeVisible()
    expect(create.requests[0]?.body).toEqual({
      name: 'ci',
      role: 'viewer',
      read_only: true,
      host_ids: [make.HOST_ID],
      expires_in_days: 90,
    })
    await user.click(screen.getByRole('button', { name: 'I have copied it' }))
    expect(screen.queryByText('aw_secret')).toBeNull()
  })
})

describe('pages of administrators', () => {
  it('tell others that they are not for them', async () => {
    server.use(
      http.get('http://localhost/api/v1/auth/session', () =>
        HttpResponse.json(make.session({ role: 'viewer' })),
      ),
      refuse('get', '/users', 403, 'role_needed', 'This needs the role administrator.'),
    )
    renderApp('/users')
    expect(await screen.findByText('Your role may not see this')).toBeVisible()
    expect(screen.getByText('This needs the role administrator.')).toBeVisible()
  })
})
