import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'

it('listens from where the first answers of the page were read', async () => {
  renderApp('/')
  await screen.findByRole('link', { name: 'alpha' })
  await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
  expect(FakeEventSource.last.url).toBe('/api/v1/live/stream?after=b-1')
})
