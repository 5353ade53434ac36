import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { formatDateTime, toLocalField } from '@/lib/format'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { get, list, record, server } from '@/test/server'

const ADDRESS = `/hosts/${make.HOST_ID}?tab=controllers`
const panel = async () => within(await screen.findByRole('region', { name: 'Patrol read' }))
const button = (scope: ReturnType<typeof within>, verb: string) =>
  scope.getByRole('button', { name: `${verb} the patrol read of /c0` })

const running = make.operation({
  kind: 'patrol_read',
  target_kind: 'controller',
  target_id: make.CONTROLLER_ID,
  target_path: '/c0',
  drive_group_id: null,
})

describe('patrol read', () => {
  it('is not spoken of where the host has none', async () => {
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Change settings' }))
    expect(await screen.findByRole('dialog')).toBeVisible()
    expect(screen.queryByText('Patrol read')).toBeNull()
  })

  it('tells the last and the next one, and starts one', async () => {
    const start = record('post', '/controllers/:id/actions/patrol-read', make.command())
    const not = make.reason('not_running', 'No patrol read is running.')
    const blocked = { patrol_read_pause: not, patrol_read_resume: not, patrol_read_stop: not }
    server.use(list('/controllers', [make.patrolled({ errors: 2 }, { blocked })]), start.handler)
    const { user } = renderApp(ADDRESS)
    const scope = await panel()
    expect(scope.getByText('Not running')).toBeVisible()
    expect(scope.getByText('automatically, 168 hours after the last one')).toBeVisible()
    expect(scope.getByText(formatDateTime('2026-12-24T03:00:00Z'))).toBeVisible()
    expect(scope.getByText('4 of 4 are read')).toBeVisible()
    expect(scope.getByText(/no consistency check/)).toBeVisible()
    expect(button(scope, 'Stop')).toHaveAccessibleDescription('No patrol read is running.')
    await user.click(button(scope, 'Start'))
    expect(await screen.findByText('It begins.')).toBeVisible()
    expect(start.requests[0]?.body).toEqual({ action: 'start' })
    expect(start.requests[0]?.headers.get('If-Match')).toBe('"a-7"')
  })

  describe('while it runs', () => {
    beforeEach(() => {
      const controller = make.patrolled({
        operation_id: running.id,
        drives_done: 1,
        next_at: null,
      })
      server.use(
        list('/controllers', [controller]),
        get('/controllers/:id', controller),
        list('/operations', [running]),
      )
    })

    it('shows how far it is, and stops it when that was meant', async () => {
      const stop = record('post', '/controllers/:id/actions/patrol-read', make.command())
      server.use(stop.handler)
      const { user } = renderApp(ADDRESS)
      const scope = await panel()
      expect(scope.getByText('25.0 %')).toBeVisible()
      expect(scope.getByText('30 s left')).toBeVisible()
      expect(scope.getByText('1 of 4 are read')).toBeVisible()
      expect(scope.queryByText('Next begins')).toBeNull()
      await user.click(button(scope, 'Stop'))
      const dialog = within(await screen.findByRole('dialog'))
      expect(dialog.getByText(/begins from the start/)).toBeVisible()
      expect(stop.requests).toEqual([])
      await user.click(dialog.getByRole('button', { name: 'Stop it' }))
      expect(await screen.findByText('It is stopped.')).toBeVisible()
      expect(stop.requests[0]?.body).toEqual({ action: 'stop' })
    })

    it('is paused from the list of operations too', async () => {
      const pause = record('post', '/controllers/:id/actions/patrol-read', make.command())
      server.use(pause.handler)
      const { user } = renderApp(`/hosts/${make.HOST_ID}?tab=operations`)
      await user.click(await screen.findByRole('button', { name: 'Pause: Patrol read /c0' }))
      await waitFor(() => expect(pause.requests[0]?.body).toEqual({ action: 'pause' }))
    })
  })

  it('saves only the settings that were changed, and no time that is past', async () => {
    const save = record('patch', '/controllers/:id', make.command())
    server.use(list('/controllers', [make.patrolled()]), save.handler)
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Change settings' }))
    const dialog = within(await screen.findByRole('dialog'))
    const next = dialog.getByLabelText('Next begins')
    expect(next).toHaveValue(toLocalField('2026-12-24T03:00:00Z'))
    const delay = dialog.getByLabelText('Hours between two patrols')
    await user.clear(delay)
    await user.type(delay, '9000')
    await user.click(dialog.getByLabelText('SSDs are patrolled too'))
    await user.clear(next)
    await user.type(next, '2001-01-01T03:00')
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    expect(dialog.getByText('This is in the past.')).toBeVisible()
    expect(dialog.getByText('From 0 to 8760 hours.')).toBeVisible()
    expect(save.requests).toEqual([])
    await user.selectOptions(dialog.getByLabelText('Begins'), 'By command only')
    expect(dialog.queryByLabelText('Next begins')).toBeNull()
    await user.click(dialog.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(save.requests[0]?.body).toEqual({
        patrol_mode: 'manual',
        patrol_ssds: true,
      }),
    )
  })

  it('says of a drive when it was read, or why it is not', async () => {
    const skipped = make.reason('patrol_skips_ssd', 'It is an SSD.')
    const patrol = { done_at: make.TIME, read_bytes: 4_000_000_000, skipped: null }
    server.use(get('/drives/:id', make.member(1, { patrol })))
    const { unmount } = renderApp(`/drives/${make.driveId(1)}?tab=health`)
    expect(await screen.findByText('Read by patrols')).toBeVisible()
    expect(screen.getByText(/^all of it was read/)).toBeVisible()
    unmount()
    server.use(
      get('/drives/:id', make.drive(5, { patrol: { done_at: null, read_bytes: 0, skipped } })),
    )
    renderApp(`/drives/${make.driveId(5)}?tab=health`)
    expect(await screen.findByText('Not patrolled')).toBeVisible()
    expect(screen.getByText('It is an SSD.')).toBeVisible()
    expect(screen.queryByText('Read by patrols')).toBeNull()
  })
})
