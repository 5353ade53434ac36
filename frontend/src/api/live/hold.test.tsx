import { notifyManager } from '@tanstack/react-query'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as make from '@/test/factories'
import { FakeEventSource } from '@/test/fake-event-source'
import { renderApp } from '@/test/render'
import { list, server } from '@/test/server'
import { holdWhilePressed } from './hold'

describe('a press while news arrive', () => {
  it('meets the page as it was, and the page shows the news after the click', async () => {
    const running = make.operation({ rev: 1, target_kind: 'virtual_drive' })
    running.target_id = make.VIRTUAL_DRIVE_ID
    server.use(list('/operations', [running]))
    const { user, client } = renderApp(`/virtual-drives/${make.VIRTUAL_DRIVE_ID}`)
    await screen.findByRole('progressbar')
    const button = await screen.findByRole('button', { name: 'Change …' })

    await user.pointer({ keys: '[MouseLeft>]', target: button })
    server.use(list('/operations', []))
    FakeEventSource.last.say('change', { changes: [{ kind: 'operation', id: running.id, rev: 2 }] })
    await waitFor(() => {
      const held = client.getQueriesData<{ total: number }>({
        predicate: ({ queryKey }) => queryKey[0] === 'operations',
      })
      expect(held.map(([, page]) => page?.total)).toContain(0)
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(screen.getByRole('progressbar')).toBeVisible()

    await user.pointer({ keys: '[/MouseLeft]', target: button })
    expect(await screen.findByRole('dialog', { name: 'Change archive' })).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull())
  })
})

describe('holdWhilePressed', () => {
  let end: () => void
  const shown = vi.fn()
  const news = () => notifyManager.schedule(shown)

  beforeEach(() => {
    vi.useFakeTimers()
    shown.mockReset()
    document.body.innerHTML = '<p>text</p><button><span>Go</span></button>'
    end = holdWhilePressed()
  })
  afterEach(() => {
    end()
    document.body.innerHTML = ''
    vi.useRealTimers()
  })

  const press = (target: string) => {
    const element = document.querySelector(target)
    if (element === null) throw new Error(`no ${target}`)
    fireEvent.pointerDown(element)
    news()
    vi.advanceTimersByTime(1_000)
    return element
  }

  it('holds nothing back when no control is pressed', () => {
    press('p')
    expect(shown).toHaveBeenCalledOnce()
  })

  it('waits for the click of a finger, which comes after its release', () => {
    const element = press('span')
    fireEvent.pointerUp(element)
    vi.advanceTimersByTime(50)
    expect(shown).not.toHaveBeenCalled()
    fireEvent.click(element)
    vi.advanceTimersByTime(0)
    expect(shown).toHaveBeenCalledOnce()
  })

  it('ends with a release that is no click', () => {
    fireEvent.pointerUp(press('button'))
    vi.advanceTimersByTime(100)
    expect(shown).toHaveBeenCalledOnce()
  })

  it('ends when the press becomes a gesture', () => {
    fireEvent.pointerCancel(press('button'))
    expect(shown).toHaveBeenCalledOnce()
  })

  it('ends by itself when nobody sees the release', () => {
    press('button')
    expect(shown).not.toHaveBeenCalled()
    vi.advanceTimersByTime(4_000)
    expect(shown).toHaveBeenCalledOnce()
  })
})
