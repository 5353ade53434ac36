import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { watchPresence } from './presence'

function clientWithHosts(online: boolean) {
  const client = new QueryClient()
  client.setQueryData(['hosts', 'list'], [{ id: 'a', online }])
  client.setQueryData(['drives', 'list'], [])
  return client
}

test('a host that goes offline makes everything but hosts be asked again', () => {
  const client = clientWithHosts(true)
  watchPresence(client)
  const invalidate = vi.spyOn(client, 'invalidateQueries')
  client.setQueryData(['hosts', 'detail', 'a'], { id: 'a', online: true })
  expect(invalidate).not.toHaveBeenCalled()
  client.setQueryData(['hosts', 'detail', 'a'], { id: 'a', online: false })
  expect(invalidate).toHaveBeenCalledOnce()
  expect(client.getQueryState(['drives', 'list'])?.isInvalidated).toBe(true)
  expect(client.getQueryState(['hosts', 'list'])?.isInvalidated).toBe(false)
})

test('after the watch has ended nothing happens', () => {
  const client = clientWithHosts(true)
  const end = watchPresence(client)
  client.setQueryData(['hosts', 'detail', 'a'], { id: 'a', online: true })
  end()
  client.setQueryData(['hosts', 'detail', 'a'], { id: 'a', online: false })
  expect(client.getQueryState(['drives', 'list'])?.isInvalidated).toBe(false)
})
