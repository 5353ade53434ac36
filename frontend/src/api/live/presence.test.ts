import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { detail, list } from '../registry'
import { watchPresence } from './presence'

function clientWithHosts(online: boolean) {
  const client = new QueryClient()
  client.setQueryData(list('hosts'), [{ id: 'a', online }])
  client.setQueryData(list('drives'), [])
  return client
}

test('a host that goes offline makes everything but hosts be asked again', () => {
  const client = clientWithHosts(true)
  watchPresence(client)
  const invalidate = vi.spyOn(client, 'invalidateQueries')
  client.setQueryData(detail('hosts', 'a'), { id: 'a', online: true })
  expect(invalidate).not.toHaveBeenCalled()
  client.setQueryData(detail('hosts', 'a'), { id: 'a', online: false })
  expect(invalidate).toHaveBeenCalledOnce()
  expect(client.getQueryState(list('drives'))?.isInvalidated).toBe(true)
  expect(client.getQueryState(list('hosts'))?.isInvalidated).toBe(false)
})

test('after the watch has ended nothing happens', () => {
  const client = clientWithHosts(true)
  const end = watchPresence(client)
  client.setQueryData(detail('hosts', 'a'), { id: 'a', online: true })
  end()
  client.setQueryData(detail('hosts', 'a'), { id: 'a', online: false })
  expect(client.getQueryState(list('drives'))?.isInvalidated).toBe(false)
})
