import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Drive } from '@/api/types'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, record, server } from '@/test/server'

async function panelOf(part: Partial<Drive>, name = 'Identity') {
  const drive = make.drive(0, part)
  server.use(get('/drives/:id', drive))
  renderApp(`/drives/${drive.id}${name === 'Identity' ? '' : '?tab=health'}`)
  const title = await screen.findByRole('heading', { name })
  return within(title.closest('section') as HTMLElement)
}

describe('drive page', () => {
  it('answers first how many errors it had and how warm it is', async () => {
    await panelOf({ media_error_count: 2, temperature_c: 31 })
    const figures = within(await screen.findByRole('region', { name: 'This drive at a glance' }))
    expect(figures.getByText('2')).toHaveAttribute('data-tone', 'warn')
    expect(figures.getByText('31 °C')).toBeVisible()
  })

  it('shows how the drive turns and how it is attached', async () => {
    const identity = await panelOf({
      vendor: 'SEAGATE',
      rotation_rpm: 7200,
      link_speed_mbps: 12000,
    })
    expect(identity.getByText('SEAGATE')).toBeVisible()
    expect(identity.getByText('7200 rpm')).toBeVisible()
    expect(identity.getByText('12 Gb/s')).toBeVisible()
  })

  it('counts the lanes of PCI Express', async () => {
    const identity = await panelOf({ link_speed_mbps: 8000, link_lanes: 4 })
    expect(identity.getByText('4 lanes of 8 GT/s')).toBeVisible()
  })

  it('shows what the drive says of itself, and that it says so no more', async () => {
    const health = {
      state: 'asleep' as const,
      reason: null,
      failing: true,
      checked_at: make.TIME,
      power_on_hours: 65592,
      reallocated_sectors: 1975,
      pending_sectors: 8,
      media_errors: null,
      wear_percent: null,
    }
    const counters = await panelOf({ health }, 'Errors and health')
    expect(counters.getByText('Asleep')).toBeVisible()
    expect(counters.getByText('Will fail')).toBeVisible()
    expect(counters.getByText('1975')).toBeVisible()
    expect(counters.queryByText('Endurance used up')).toBeNull()
  })

  it('says why the drive could not be asked', async () => {
    const reason = make.reason('smart_missing', 'smartctl cannot be started: not there.')
    const health = {
      state: 'unread' as const,
      reason,
      failing: false,
      checked_at: null,
      power_on_hours: null,
      reallocated_sectors: null,
      pending_sectors: null,
      media_errors: null,
      wear_percent: null,
    }
    const counters = await panelOf({ health }, 'Errors and health')
    expect(counters.getByText('smartctl cannot be started: not there.')).toBeVisible()
  })

  it('invents nothing that the host does not tell', async () => {
    const identity = await panelOf({})
    expect(identity.queryByText('Rotation')).toBeNull()
    expect(identity.queryByText('Link')).toBeNull()
    expect(identity.queryByText('Maker')).toBeNull()
  })

  it('erases only what was named by its serial number', async () => {
    const drive = make.drive(0, { serial: 'SN-ERASE' })
    const erase = record('post', '/drives/:id/actions/erase', make.command({ op: 'drive_erase' }))
    server.use(get('/drives/:id', drive), erase.handler)
    const { user } = renderApp(`/drives/${drive.id}`)
    await user.click(await screen.findByRole('button', { name: 'Erase …' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('radio', { name: /^Normal/ }))
    const field = dialog.getByRole('textbox')
    await user.type(field, 'SN-ERASE2')
    await user.click(dialog.getByRole('button', { name: 'Erase everything on it' }))
    expect(erase.requests).toHaveLength(0)
    await user.type(field, '{Backspace}')
    await user.click(dialog.getByRole('button', { name: 'Erase everything on it' }))
    expect(await screen.findByText(`The erase of ${drive.path} has started.`)).toBeVisible()
    expect(erase.requests[0]?.body).toEqual({
      action: 'start',
      mode: 'normal',
      force: false,
      confirm: 'SN-ERASE',
    })
  })

  it('locates for a while only', async () => {
    const drive = make.drive(0, {})
    const locate = record('post', '/drives/:id/actions/locate', make.command({}))
    server.use(get('/drives/:id', drive), locate.handler)
    const { user } = renderApp(`/drives/${drive.id}`)
    await user.click(await screen.findByRole('button', { name: 'Start locating' }))
    await screen.findByText(`The light of ${drive.path} is blinking.`)
    expect(locate.requests[0]?.body).toEqual({ on: true, seconds: 900 })
  })
})
