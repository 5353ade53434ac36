import { screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import type { EnrolmentToken, EnrolmentTokenCreated, Host } from '@/api/types'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { api, list, record, server } from '@/test/server'

const token: EnrolmentToken = {
  id: '00000000-0000-4000-8000-0000000000aa',
  name: 'rack 4',
  prefix: 'awe_1',
  created_at: make.TIME,
  created_by: 'admin',
  expires_at: make.TIME,
  uses: 0,
  max_uses: 1,
  labels: [],
  hosts: [],
  used_at: null,
  host_id: null,
  revoked: false,
  usable: true,
}
const created: EnrolmentTokenCreated = { ...token, token: 'awe_1x', install_line: 'sudo enrol it' }

const lines = (url: string, loopback: boolean) => ({
  url,
  loopback,
  lines: (['package', 'installed', 'container'] as const).map((form) => ({
    form,
    line: `${form} --url ${url} --token TOKEN`,
  })),
})

async function afterATokenWasMade(...hosts: Host[]) {
  const made = record('post', '/enrolment-tokens', created)
  server.use(
    made.handler,
    http.get(api('/enrolment-tokens/lines'), ({ request }) => {
      const url = new URL(request.url).searchParams.get('url')
      return HttpResponse.json(url ? lines(url, false) : lines('http://127.0.0.1:8080', true))
    }),
    list('/enrolment-tokens', [token]),
    list('/hosts', hosts),
  )
  const { user } = renderApp('/hosts/add')
  await user.click(await screen.findByRole('button', { name: 'Create token' }))
  return { user, made }
}

const lineShown = () => screen.findByRole('group', { name: 'Enroll a host' })

describe('add host', () => {
  it('shows the line with the token, for each way to have the agent', async () => {
    const { user } = await afterATokenWasMade()
    expect(await lineShown()).toHaveTextContent(
      'installed --url http://127.0.0.1:8080 --token awe_1x',
    )
    await user.click(screen.getByRole('button', { name: 'Container' }))
    expect(await lineShown()).toHaveTextContent(/^container/)
  })

  it('warns of an address that no other machine reaches, and takes another', async () => {
    const { user } = await afterATokenWasMade()
    expect(await screen.findByText(/works on the server itself only/)).toBeVisible()
    const field = screen.getByLabelText('Address of this server')
    await user.clear(field)
    await user.type(field, 'https://fleet.example')
    await user.click(screen.getByRole('button', { name: 'Use this address' }))
    await waitFor(async () =>
      expect(await lineShown()).toHaveTextContent('--url https://fleet.example '),
    )
    expect(screen.queryByText(/works on the server itself only/)).toBeNull()
  })

  it('asks for a token for many hosts, with labels', async () => {
    const made = record('post', '/enrolment-tokens', created)
    const ready = http.get(api('/enrolment-tokens/lines'), () =>
      HttpResponse.json(lines('https://fleet.example', false)),
    )
    server.use(made.handler, ready)
    const { user } = renderApp('/hosts/add')
    await user.selectOptions(await screen.findByLabelText('Number of hosts'), 'some')
    await user.type(screen.getByLabelText('Labels'), 'site=berlin, rack-4')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    await waitFor(() => expect(made.requests).toHaveLength(1))
    expect(made.requests[0]?.body).toMatchObject({
      max_uses: 10,
      labels: ['site=berlin', 'rack-4'],
    })
  })

  it('waits for the machine to enroll', async () => {
    await afterATokenWasMade()
    expect(await screen.findByText(/Waiting for a host to enroll|has expired/)).toBeVisible()
  })

  it('says how to start the link of a machine that has enrolled and does not connect', async () => {
    await afterATokenWasMade(make.host({ presence: 'enrolled', online: false, connected_at: null }))
    expect(await screen.findByText(/Waiting for its link to connect/)).toBeVisible()
    expect(screen.getByText('sudo systemctl enable --now arraywright-uplink')).toBeVisible()
    expect(screen.queryByText(/has reported/)).toBeNull()
  })

  it('waits for the first report of a machine that is connected', async () => {
    await afterATokenWasMade(make.host({ presence: 'connecting' }))
    expect(await screen.findByText(/Waiting for its first report/)).toBeVisible()
    expect(screen.queryByText(/has reported/)).toBeNull()
  })

  it('ends when the machine has reported', async () => {
    await afterATokenWasMade(make.host())
    expect(await screen.findByText('alpha has reported.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Open alpha' })).toBeVisible()
  })

  it('lists how often tokens were used, and by whom', async () => {
    const host = { id: make.HOST_ID, label: 'alpha', enrolled_at: make.TIME, retired: false }
    server.use(list('/enrolment-tokens', [{ ...token, uses: 7, max_uses: 9, hosts: [host] }]))
    renderApp('/hosts/add')
    expect(await screen.findByText('7 of 9')).toBeVisible()
    expect(screen.getByText(/and 6 more/)).toBeVisible()
  })
})
