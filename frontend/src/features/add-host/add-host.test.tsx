import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { EnrolmentTokenCreated, Host } from '@/api/types'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { list, record, server } from '@/test/server'

const token = {
  id: '00000000-0000-4000-8000-0000000000aa',
  name: 'rack 4',
  prefix: 'awe_1',
  created_at: make.TIME,
  created_by: 'admin',
  expires_at: make.TIME,
  used_at: null,
  host_id: null,
  revoked: false,
  usable: true,
} as const
const created: EnrolmentTokenCreated = { ...token, token: 'awe_1x', install_line: 'sudo enrol it' }

async function afterTheLineWasMade(host: Host | undefined) {
  const used = host === undefined ? {} : { used_at: make.TIME, host_id: host.id, usable: false }
  server.use(
    record('post', '/enrolment-tokens', created).handler,
    list('/enrolment-tokens', [{ ...token, ...used }]),
    list('/hosts', host === undefined ? [] : [host]),
  )
  const { user } = renderApp('/hosts/add')
  await user.click(await screen.findByRole('button', { name: 'Make the line' }))
}

describe('add host', () => {
  it('waits for the machine to enrol', async () => {
    await afterTheLineWasMade(undefined)
    expect(await screen.findByText(/Waiting for the machine to enrol/)).toBeVisible()
  })

  it('says how to start the link of a machine that is enrolled', async () => {
    await afterTheLineWasMade(make.host({ presence: 'enrolled', online: false }))
    expect(await screen.findByText(/is enrolled and has not connected yet/)).toBeVisible()
    expect(screen.getByText('sudo systemctl enable --now arraywright-uplink')).toBeVisible()
    expect(screen.queryByText(/has reported/)).toBeNull()
  })

  it('waits for the first report of a machine that is connected', async () => {
    await afterTheLineWasMade(make.host({ presence: 'connecting' }))
    expect(await screen.findByText(/Waiting for its first report/)).toBeVisible()
    expect(screen.queryByText(/has reported/)).toBeNull()
  })

  it('ends when the machine has reported', async () => {
    await afterTheLineWasMade(make.host())
    expect(await screen.findByText('alpha has reported.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Open alpha' })).toBeVisible()
  })
})
