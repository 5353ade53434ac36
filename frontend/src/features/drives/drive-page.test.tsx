import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Drive } from '@/api/types'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, server } from '@/test/server'

async function identityOf(part: Partial<Drive>) {
  const drive = make.drive(0, part)
  server.use(get('/drives/:id', drive))
  renderApp(`/drives/${drive.id}`)
  const title = await screen.findByRole('heading', { name: 'Identity' })
  return within(title.closest('section') as HTMLElement)
}

describe('drive page', () => {
  it('shows how the drive turns and how it is attached', async () => {
    const identity = await identityOf({
      vendor: 'SEAGATE',
      rotation_rpm: 7200,
      link_speed_mbps: 12000,
    })
    expect(identity.getByText('SEAGATE')).toBeVisible()
    expect(identity.getByText('7200 rpm')).toBeVisible()
    expect(identity.getByText('12 Gb/s')).toBeVisible()
  })

  it('counts the lanes of PCI Express', async () => {
    const identity = await identityOf({ link_speed_mbps: 8000, link_lanes: 4 })
    expect(identity.getByText('4 lanes of 8 GT/s')).toBeVisible()
  })

  it('invents nothing that the host does not tell', async () => {
    const identity = await identityOf({})
    expect(identity.queryByText('Rotation')).toBeNull()
    expect(identity.queryByText('Link')).toBeNull()
    expect(identity.queryByText('Maker')).toBeNull()
  })
})
