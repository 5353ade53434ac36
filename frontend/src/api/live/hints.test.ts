import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { detail, list, type ResourceKey } from '../registry'
import { applyMessage, isTouched } from './hints'
import { readMessage } from './protocol'

const query = (queryKey: ResourceKey, data?: unknown) =>
  ({ queryKey, state: { data } }) as unknown as Parameters<typeof isTouched>[0]

describe('which queries a hint touches', () => {
  const hint = [{ kind: 'drive' as const, id: 'd1', rev: 5 }]

  it('touches the detail of the object, not that of another', () => {
    expect(isTouched(query(detail('drives', 'd1'), { id: 'd1', rev: 4 }), hint)).toBe(true)
    expect(isTouched(query(detail('drives', 'd2'), { id: 'd2', rev: 1 }), hint)).toBe(false)
  })

  it('touches lists of the resource only', () => {
    expect(isTouched(query(list('drives', {}), { items: [] }), hint)).toBe(true)
    expect(isTouched(query(list('hosts', {}), { items: [] }), hint)).toBe(false)
  })

  it('leaves alone what is already as new', () => {
    expect(isTouched(query(detail('drives', 'd1'), { id: 'd1', rev: 5 }), hint)).toBe(false)
    const pages = { pages: [{ items: [{ id: 'd1', rev: 6 }] }] }
    expect(isTouched(query(list('drives'), pages), hint)).toBe(false)
  })

  it('looks at every hint of a message', () => {
    const two = [...hint, { kind: 'virtual_drive' as const, id: 'v1', rev: 2 }]
    expect(isTouched(query(detail('virtual-drives', 'v1'), { id: 'v1', rev: 1 }), two)).toBe(true)
  })

  it('asks for a preview again when its host comes back', () => {
    const back = [{ kind: 'host' as const, id: 'h1', rev: 4 }]
    expect(isTouched(query(list('preview', { level: 'raid1' })), back)).toBe(true)
  })

  it('ignores kinds it does not know', () => {
    const unknown = [{ kind: 'weather' as never, id: 'b', rev: 1 }]
    expect(isTouched(query(list('drives')), unknown)).toBe(false)
  })
})

describe('messages', () => {
  it('reads changes', () => {
    const data = '{"changes":[{"kind":"drive","id":"d1","rev":3}]}'
    expect(readMessage('change', data)).toEqual({
      type: 'change',
      changes: [{ kind: 'drive', id: 'd1', rev: 3 }],
    })
  })

  it('takes an unreadable change for a miss', () => {
    expect(readMessage('change', '{"changes":[{"kind":1}]}')).toEqual({ type: 'reset' })
    expect(readMessage('change', 'nonsense')).toEqual({ type: 'reset' })
  })

  it('keeps the reason of an end and ignores unknown events', () => {
    expect(readMessage('end', '{"reason":"logout"}')).toEqual({ type: 'end', reason: 'logout' })
    expect(readMessage('weather', '{}')).toBeUndefined()
  })
})

describe('applyMessage', () => {
  const filled = () => {
    const client = new QueryClient()
    client.setQueryData(detail('drives', 'd1'), { id: 'd1', rev: 1 })
    client.setQueryData(list('users'), { items: [] })
    return client
  }
  const stale = (client: QueryClient, key: ResourceKey) => client.getQueryState(key)?.isInvalidated

  it('invalidates what changed', async () => {
    const client = filled()
    await applyMessage(client, {
      type: 'change',
      changes: [{ kind: 'drive', id: 'd1', rev: 2 }],
    })
    expect(stale(client, detail('drives', 'd1'))).toBe(true)
    expect(stale(client, list('users'))).toBe(false)
  })

  it('invalidates everything on a reset', async () => {
    const client = filled()
    await applyMessage(client, { type: 'reset' })
    expect(stale(client, detail('drives', 'd1'))).toBe(true)
    expect(stale(client, list('users'))).toBe(true)
  })
})
