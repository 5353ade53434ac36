import '@testing-library/jest-dom/vitest'
import '@/lib/i18n'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { FakeEventSource } from './fake-event-source'
import { server } from './server'

// Two shared cores: the first page of a file loads its modules, which takes its time.
configure({ asyncUtilTimeout: 20_000 })
vi.setConfig({ testTimeout: 60_000 })

// What jsdom lacks and the components ask for.
window.matchMedia = (query) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
  }) as unknown as MediaQueryList
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.scrollTo = () => {}
Element.prototype.scrollIntoView = () => {}
vi.stubGlobal('EventSource', FakeEventSource)

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => {
  cleanup()
  server.resetHandlers()
  FakeEventSource.reset()
  localStorage.clear()
})
afterAll(() => server.close())
