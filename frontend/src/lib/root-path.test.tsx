import { afterEach, describe, expect, it } from 'vitest'
import { rootPath, serverUrl } from './root-path'

function said(content: string) {
  const meta = document.createElement('meta')
  meta.name = 'root-path'
  meta.content = content
  document.head.append(meta)
}

afterEach(() => document.querySelector('meta[name="root-path"]')?.remove())

describe('the root path', () => {
  it('is what the server has put into the page', () => {
    said('/storage')
    expect(rootPath()).toBe('/storage')
    expect(serverUrl()).toBe('http://localhost/storage')
  })

  it('is empty at the root, and in a page that no server has filled in', () => {
    expect(rootPath()).toBe('')
    said('__ROOT_PATH__')
    expect(rootPath()).toBe('')
    expect(serverUrl()).toBe('http://localhost')
  })
})
