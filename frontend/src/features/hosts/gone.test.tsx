import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import * as make from '@/test/factories'
import { renderApp } from '@/test/render'
import { refuse, server } from '@/test/server'

const PAGES = [
  ['virtual drive', `/virtual-drives/${make.VIRTUAL_DRIVE_ID}`, '/virtual-drives/:id'],
  ['drive group', `/drive-groups/${make.GROUP_ID}`, '/drive-groups/:id'],
  ['drive', `/drives/${make.driveId(0)}`, '/drives/:id'],
  ['battery', `/batteries/${make.BATTERY_ID}`, '/batteries/:id'],
] as const

it.each(PAGES)('the page of a %s that is deleted shows nothing of it', async (_, page, path) => {
  const { client } = renderApp(page)
  const title = (await screen.findByRole('heading', { level: 1 })).textContent
  server.use(refuse('get', path, 404, 'not_found', 'There is no such object.'))
  await client.invalidateQueries()
  expect(await screen.findByText(`${title} no longer exists`)).toBeVisible()
  expect(screen.getByRole('link', { name: /^Go to host/ })).toBeVisible()
  expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
})

it('a host that is removed leads to the fleet', async () => {
  const { client } = renderApp(`/hosts/${make.HOST_ID}`)
  await screen.findByRole('heading', { level: 1 })
  server.use(refuse('get', '/hosts/:id', 404, 'not_found', 'There is no such host.'))
  await client.invalidateQueries()
  expect(await screen.findByText('There is nothing here')).toBeVisible()
  expect(screen.queryByRole('link', { name: 'Create virtual drive' })).toBeNull()
})
