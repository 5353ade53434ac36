import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, record, server } from '@/test/server'

const ADDRESS = `/controllers/${make.CONTROLLER_ID}/cache`

const preserved = {
  virtual_drive_id: make.VIRTUAL_DRIVE_ID,
  virtual_drive_key: 'v0',
  name: 'archive',
  bytes: 4_000_000,
  reason: make.reason('cache_preserved_members', 'Its drives are missing.'),
}

describe('cache page', () => {
  it('shows fill, dirty data against their limit, hit and destage rate', async () => {
    renderApp(ADDRESS)
    expect(await screen.findByText('500 MB of 1 GB')).toBeVisible()
    expect(screen.getByText('250 MB of at most 1 GB')).toBeVisible()
    expect(screen.getByText('As much as the cache holds.')).toBeVisible()
    expect(screen.getByText('87.5 %')).toBeVisible()
    expect(screen.getByText('120 MB/s; the drives take 200 MB/s')).toBeVisible()
    expect(screen.getByText('None. Nothing waits for missing drives.')).toBeVisible()
  })

  it('discards preserved cache only with the typed name', async () => {
    const kept = make.controller({ cache: make.cache({ preserved: [preserved] }) })
    const discard = record(
      'post',
      '/controllers/:id/actions/discard-preserved-cache',
      make.command({ op: 'cache_discard' }),
    )
    server.use(get('/controllers/:id', kept), discard.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(
      await screen.findByRole('button', { name: 'Discard the preserved cache of archive' }),
    )
    const dialog = within(await screen.findByRole('dialog'))
    expect(
      dialog.getByText('4 MB of acknowledged writes of archive are lost for good.'),
    ).toBeVisible()
    await user.type(dialog.getByRole('textbox'), 'archiv{Enter}')
    expect(discard.requests).toHaveLength(0)
    await user.type(dialog.getByRole('textbox'), 'e{Enter}')
    expect(await screen.findByText('The preserved cache of archive is discarded.')).toBeVisible()
    expect(discard.requests[0]?.body).toEqual({ virtual_drive_key: 'v0', confirm: 'archive' })
    expect(discard.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
  })

  it('says so when there is no cache', async () => {
    server.use(get('/controllers/:id', make.controller()))
    renderApp(ADDRESS)
    expect(await screen.findByText('This controller has no cache memory.')).toBeVisible()
  })
})
