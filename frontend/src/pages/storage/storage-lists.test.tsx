import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { askedList, list, server } from '@/test/server'

const rows = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent)

describe('the drives of all hosts', () => {
  const small = make.drive(4, { size_bytes: 1e12, serial: 'WD-11' })
  const large = make.drive(5, { size_bytes: 4e12, serial: 'ZW-22' })

  const drives = () =>
    askedList('/drives', (asked) => {
      const all = [small, large].filter(({ serial }) =>
        serial.toLowerCase().includes(asked.get('q')?.toLowerCase() ?? ''),
      )
      return { items: asked.get('sort') === '-size' ? all.toReversed() : all }
    })

  it('are sorted by the server, and the address says how', async () => {
    const { handler, asked } = drives()
    server.use(handler)
    const { user, router } = renderApp('/drives')
    expect(await screen.findByRole('heading', { level: 1, name: 'Drives' })).toBeVisible()
    await screen.findByRole('link', { name: small.path })
    expect(rows()).toEqual([small.path, large.path])
    expect(asked.at(-1)?.get('sort')).toBe('host')
    await user.click(screen.getByRole('button', { name: 'Size' }))
    await waitFor(() => expect(rows()).toEqual([large.path, small.path]))
    expect(router.state.location.search).toEqual({ sort: '-size' })
    // Only what a row shows travels.
    expect(asked.at(-1)?.get('fields')?.split(',')).toContain('serial')
    expect(asked.at(-1)?.get('fields')).not.toContain('blocked')
  })

  it('are searched by the server, once the writer pauses', async () => {
    const { handler, asked } = drives()
    server.use(handler)
    const { user, router } = renderApp('/drives?sort=-size')
    await screen.findByRole('link', { name: small.path })
    await user.type(screen.getByRole('searchbox', { name: 'Search drives' }), 'w-2')
    await waitFor(() => expect(rows()).toEqual([large.path]))
    expect(router.state.location.search).toEqual({ sort: '-size', q: 'w-2' })
    expect(asked.map((each) => each.get('q'))).toEqual([null, 'w-2'])
  })

  it('are narrowed to a part of them by their states', async () => {
    const { handler, asked } = drives()
    server.use(handler)
    const { user, router } = renderApp('/drives')
    await user.click(await screen.findByRole('button', { name: 'Hot spares' }))
    await waitFor(() =>
      expect(asked.at(-1)?.getAll('state')).toEqual(['hot_spare', 'dedicated_hot_spare']),
    )
    expect(router.state.location.search).toEqual({ show: 'spares' })
  })

  it('never end without a word', async () => {
    const { handler } = askedList('/drives', (asked) =>
      asked.has('cursor')
        ? { items: [large] }
        : { items: [small], next_cursor: 'second', total: null },
    )
    server.use(handler)
    const { user } = renderApp('/drives')
    expect(await screen.findByText('Showing 1; there are more')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByRole('link', { name: large.path })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  })

  it('takes a broken address for none', async () => {
    const { handler, asked } = drives()
    server.use(handler)
    renderApp('/drives?sort=color&show=all-of-it')
    await screen.findByRole('link', { name: small.path })
    expect(asked.at(-1)?.get('sort')).toBe('host')
    expect(asked.at(-1)?.getAll('state')).toEqual([])
  })
})

describe('the other lists', () => {
  it.each([
    [
      '/virtual-drives',
      'Virtual drives',
      make.virtualDrive().name,
      'Failures left',
      'drive_failures_left',
    ],
    ['/drive-groups', 'Drive groups', '/c0/d0', 'RAID level', 'level'],
    ['/batteries', 'Batteries', '/c0/bbu', 'Serial number', 'serial'],
  ])('%s is sorted by the server too', async (path, title, name, column, sort) => {
    server.use(list('/batteries', [make.battery()]))
    const { user, router } = renderApp(path)
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible()
    expect(await screen.findByRole('link', { name })).toBeVisible()
    await user.click(screen.getByRole('button', { name: column }))
    expect(router.state.location.search).toEqual({ sort })
  })

  it('tells none-match from none-yet', async () => {
    server.use(list('/batteries', []))
    const { user } = renderApp('/batteries?q=none')
    expect(await screen.findByText('Nothing matches these filters')).toBeVisible()
    await user.click(screen.getAllByRole('button', { name: 'Clear filters' }).at(-1) as HTMLElement)
    expect(await screen.findByText('No host has reported a battery')).toBeVisible()
  })
})

describe('the search over everything', () => {
  it('finds a drive by a part of its serial number', async () => {
    const drive = make.drive(5, { serial: 'ZW-2277' })
    const { handler, asked } = askedList('/drives', (params) =>
      'zw-2277'.includes(params.get('q') ?? 'zw') ? { items: [drive] } : { items: [] },
    )
    server.use(handler, list('/hosts', []), list('/virtual-drives', []), list('/drive-groups', []))
    const { user, router } = renderApp('/events')
    await screen.findByRole('heading', { level: 1, name: 'Events' })
    await user.keyboard('{Control>}k{/Control}')
    const field = await screen.findByRole('combobox', { name: 'What to find' })
    expect(field).toHaveFocus()
    await user.type(field, 'w-22')
    const option = await screen.findByRole('option', { name: /ZW-2277/ })
    expect(option).toHaveAttribute('aria-selected', 'true')
    expect(field).toHaveAttribute('aria-activedescendant', option.id)
    expect(asked.map((each) => each.get('q'))).toEqual(['w-22'])
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe(`/drives/${drive.id}`))
    expect(screen.queryByRole('combobox', { name: 'What to find' })).toBeNull()
  })

  it('leads to the list when there are more than it shows', async () => {
    const found = [4, 5, 6].map((slot) => make.drive(slot))
    const { handler } = askedList('/drives', (params) =>
      params.get('limit') === '6'
        ? { items: found, next_cursor: 'c', total: 40 }
        : { items: found },
    )
    server.use(handler)
    const { user, router } = renderApp('/events')
    await user.click(await screen.findByRole('button', { name: 'Find pages and objects' }))
    await user.type(await screen.findByRole('combobox', { name: 'What to find' }), 'ST4000')
    await user.click(await screen.findByRole('option', { name: 'Show 37 more' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/drives'))
    expect(router.state.location.search).toEqual({ q: 'ST4000' })
  })

  it('moves with the arrow keys among pages and objects', async () => {
    const { user, router } = renderApp('/events')
    await user.click(await screen.findByRole('button', { name: 'Find pages and objects' }))
    const field = await screen.findByRole('combobox', { name: 'What to find' })
    await user.type(field, 'dri')
    await waitFor(() => expect(screen.queryByRole('option', { name: 'Fleet' })).toBeNull())
    await user.keyboard('{ArrowDown}{ArrowDown}')
    expect(screen.getByRole('option', { selected: true })).toHaveTextContent('Drives')
    await user.keyboard('{Enter}')
    await waitFor(() => expect(router.state.location.pathname).toBe('/drives'))
  })
})
