import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, server } from '@/test/server'

describe('alerts page', () => {
  it('says cause, consequence and next step', async () => {
    server.use(list('/alerts', [make.alert({ stale: true })]))
    renderApp('/alerts')
    expect(await screen.findByText('One more loses data.')).toBeVisible()
    expect(screen.getByText('Replace the drive.')).toBeVisible()
    expect(screen.getByText(/Its host is offline: whether this still holds/)).toBeVisible()
  })

  it('acknowledges with a note', async () => {
    const acknowledge = record('post', '/alerts/:id/acknowledge', make.alert())
    server.use(list('/alerts', [make.alert()]), acknowledge.handler)
    const { user } = renderApp('/alerts')
    await user.click(
      await screen.findByRole('button', { name: 'Acknowledge: Virtual drive degraded' }),
    )
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: 'Note for others' }), 'ordered')
    await user.click(dialog.getByRole('button', { name: 'Acknowledge' }))
    expect(await screen.findByText('The alert is acknowledged.')).toBeVisible()
    expect(acknowledge.requests[0]?.body).toEqual({ note: 'ordered' })
  })

  it('disables what the server blocks, with its reason', async () => {
    const blocked = { acknowledge: make.reason('role_needed', 'This needs the role operator.') }
    server.use(
      get('/auth/session', make.session({ role: 'viewer' })),
      list('/alerts', [make.alert({ blocked })]),
    )
    renderApp('/alerts')
    const button = await screen.findByRole('button', { name: /^Acknowledge:/ })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    expect(button).toHaveAccessibleDescription('This needs the role operator.')
  })
})
