import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { toLocalField } from '@/lib/format'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, record, server } from '@/test/server'

const ADDRESS = `/batteries/${make.BATTERY_ID}`

function panel(name: string) {
  return screen.findByRole('region', { name }).then((element) => within(element))
}

describe('battery page', () => {
  it('shows charge, health and how long the cache is kept at this charge', async () => {
    server.use(get('/batteries/:id', make.battery({ charge_percent: 50, left_s: 129_600 })))
    renderApp(ADDRESS)
    const state = await panel('State')
    expect(state.getByRole('meter', { name: 'Charge' })).toHaveAttribute('aria-valuetext', '50.0 %')
    expect(state.getByText('1 d 12 h at this charge; 3 d when full')).toBeVisible()
    expect(state.getByText('93 % of the design capacity')).toBeVisible()
  })

  it('leaves out what a plain battery does not know', async () => {
    const plain = make.battery({
      smart: false,
      charge_percent: null,
      left_s: null,
      health_percent: null,
      full_capacity_mah: null,
      temperature_c: null,
      voltage_mv: null,
      cycle_count: null,
      learn: null,
    })
    server.use(get('/batteries/:id', plain))
    renderApp(ADDRESS)
    const state = await panel('State')
    expect(state.getByText('This model tells only that it is there.')).toBeVisible()
    expect(state.queryByText('Health')).not.toBeInTheDocument()
    expect(await screen.findByText('This battery cannot run a learn cycle.')).toBeVisible()
  })

  it('plots the history and says it in words', async () => {
    const { user, router } = renderApp(ADDRESS)
    const plot = await screen.findByRole('img', { name: /^Charge: last 70.0 %, lowest 40.0 %/ })
    expect(plot).toBeVisible()
    await user.click(screen.getByRole('button', { name: '2 weeks' }))
    expect(router.state.location.search).toEqual({ range: 'weeks' })
  })

  it('asks before a learn cycle, for it suspends write-back', async () => {
    const learn = record('post', '/batteries/:id/actions/learn', make.command())
    server.use(learn.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Start a learn cycle …' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/Write-back is suspended until the cycle has ended/)).toBeVisible()
    expect(learn.requests).toHaveLength(0)
    await user.click(dialog.getByRole('button', { name: 'Start learn cycle' }))
    expect(await screen.findByText('The learn cycle has been asked for.')).toBeVisible()
    expect(learn.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
  })

  it('sends only what differs in the schedule', async () => {
    const change = record('patch', '/batteries/:id', make.command())
    server.use(change.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Change the schedule …' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.selectOptions(dialog.getByRole('combobox', { name: 'When' }), 'warn')
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('The schedule is changed.')).toBeVisible()
    expect(change.requests[0]?.body).toEqual({ learn_mode: 'warn' })
  })

  it('keeps the reader’s own time in the date field', () => {
    const field = toLocalField('2026-12-24T03:00:00Z')
    expect(new Date(field).toISOString()).toBe('2026-12-24T03:00:00.000Z')
    expect(toLocalField(null)).toBe('')
  })

  it('lets people try a failure of an emulated battery', async () => {
    const fault = record('post', '/batteries/:id/actions/fault', make.command())
    server.use(fault.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Let it fail' }))
    expect(await screen.findByText('The battery fails.')).toBeVisible()
    expect(fault.requests[0]?.body).toEqual({ fault: 'fail' })
  })

  it('offers no failures of a real one', async () => {
    server.use(get('/batteries/:id', make.battery({ emulated: false, kind: 'ups' })))
    renderApp(ADDRESS)
    expect(await screen.findByText('Keeps the host running for')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Let it fail' })).not.toBeInTheDocument()
  })
})
