import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { askedList, get, list, record, server } from '@/test/server'

describe('alerts page', () => {
  it('says cause, consequence and next step', async () => {
    server.use(list('/alerts', [make.alert({ stale: true })]))
    renderApp('/alerts')
    expect(await screen.findByText('One more loses data.')).toBeVisible()
    expect(screen.getByText('Replace the drive.')).toBeVisible()
    expect(screen.getByText(/Its host is offline: whether this still holds/)).toBeVisible()
  })

  it('asks for the worst first, and for the latest of what is over', async () => {
    const { handler, asked } = askedList('/alerts', () => ({ items: [make.alert()], total: 1 }))
    server.use(handler)
    const { user } = renderApp('/alerts')
    await user.click(await screen.findByRole('button', { name: /^Resolved/ }))
    await screen.findByRole('heading', { level: 2, name: 'Resolved' })
    const sorts = asked.map((each) => `${each.get('state')} ${each.get('sort')}`)
    expect(sorts).toContain('open -severity')
    expect(sorts).toContain('resolved -opened_at')
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

describe('the alerts of a host', () => {
  it('stand above all else, the worst first, and not all of them at once', async () => {
    const at = (severity: 'critical' | 'warning', title: string, opened_at: string) =>
      make.alert({ id: title, severity, title, opened_at })
    server.use(
      list('/alerts', [
        at('warning', 'Late warning', '2026-11-02T00:00:00Z'),
        at('critical', 'Late fault', '2026-11-03T00:00:00Z'),
        at('warning', 'Early warning', '2026-11-01T00:00:00Z'),
        at('critical', 'Early fault', '2026-11-02T00:00:00Z'),
        at('warning', 'Last warning', '2026-11-04T00:00:00Z'),
      ]),
    )
    const { user } = renderApp(`/hosts/${make.HOST_ID}`)
    const trouble = within(await screen.findByRole('region', { name: 'Open alerts' }))
    const titles = () => trouble.getAllByRole('heading', { level: 3 }).map((at) => at.textContent)
    expect(titles()).toEqual(['Early fault', 'Late fault', 'Early warning'])
    await user.click(trouble.getByRole('button', { name: 'Show 2 more' }))
    expect(titles().slice(3)).toEqual(['Late warning', 'Last warning'])
    const panels = await screen.findAllByRole('region')
    const named = panels.map((panel) => panel.getAttribute('aria-labelledby') && panel.textContent)
    const bays = named.findIndex((text) => text?.startsWith('Drive bays'))
    expect(bays).toBeGreaterThan(named.findIndex((text) => text?.startsWith('Open alerts')))
  })

  it('take no room when all is well', async () => {
    renderApp(`/hosts/${make.HOST_ID}`)
    await screen.findByRole('region', { name: 'This host at a glance' })
    expect(screen.queryByRole('region', { name: 'Open alerts' })).toBeNull()
  })
})
