import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { formatDateTime } from '@/lib/format'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, record, server } from '@/test/server'

const ADDRESS = `/controllers/${make.CONTROLLER_ID}/undo`
const UNDO = '/controllers/:id/undo'
const RESTORE = '/controllers/:id/actions/restore-undo'

const drive = (slot: number, refusal: unknown = null) => ({
  drive_id: make.drive(slot).id,
  serial: `S${slot}`,
  refusal,
})

const archive = {
  undo: 3,
  kind: 'drive_group',
  name: 'archive',
  who: 'root by arrayctl',
  saved_at: '2026-11-20T10:00:00Z',
  until: '2026-11-27T10:00:00Z',
  refusal: null,
  drives: [drive(4), drive(5)],
}

const used = make.reason('undo_drive_used', 'Drive /c0/e252/s6 is in use again.')
const scratch = { ...archive, undo: 2, name: 'scratch', refusal: used, drives: [drive(6, used)] }

describe('what was deleted', () => {
  it('is listed, with who, until when, and why not', async () => {
    server.use(get(UNDO, { items: [archive, scratch] }))
    renderApp(ADDRESS)
    const table = within(await screen.findByRole('table', { name: 'What was deleted' }))
    expect(
      table.getByRole('row', {
        name: /archive Virtual drive and its drive group .*root by arrayctl .*Yes/,
      }),
    ).toBeVisible()
    const button = table.getByRole('button', { name: 'Restore scratch' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    expect(button).toHaveAccessibleDescription('Drive /c0/e252/s6 is in use again.')
  })

  it('tells of one that cannot be read', async () => {
    const why = make.reason('undo_damaged', 'What was saved as undo-01 cannot be read.')
    const lost = { ...archive, undo: 4, kind: 'damaged', name: 'undo-01', refusal: why, drives: [] }
    server.use(get(UNDO, { items: [lost] }))
    renderApp(ADDRESS)
    const row = within(await screen.findByRole('row', { name: /undo-01 Not known/ }))
    expect(row.queryByText(formatDateTime(archive.saved_at))).toBeNull()
    expect(row.getByRole('button', { name: 'Restore undo-01' })).toHaveAccessibleDescription(
      'What was saved as undo-01 cannot be read.',
    )
  })

  it('is restored by its number', async () => {
    const restored = record('post', RESTORE, make.command({ op: 'undo_restore' }))
    server.use(get(UNDO, { items: [archive] }), restored.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Restore archive' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/come back as they were/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Restore archive' }))
    expect(await screen.findByText('archive restored.')).toBeVisible()
    expect(restored.requests[0]?.body).toEqual({ undo: 3 })
  })

  it('can be nothing', async () => {
    server.use(get(UNDO, { items: [] }))
    renderApp(ADDRESS)
    expect(await screen.findByText('Nothing was deleted')).toBeVisible()
  })
})
