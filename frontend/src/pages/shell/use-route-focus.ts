import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

/**
 * A page change in a single-page application is silent: nothing tells a screen reader that the page
 * is another one, and the focus stays on a link that may be gone. After a navigation to another path
 * the heading of the new page takes the focus, and its text is returned to be announced. A change of
 * search parameters (a filter, an open bay) is no page change.
 */
export function useRouteFocus(): string {
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const previous = useRef<string | undefined>(undefined)
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    const cameFrom = previous.current
    previous.current = pathname
    if (pathname === undefined) return undefined
    // The heading of a page that still loads comes later.
    const find = () => document.querySelector<HTMLElement>('main h1')
    const settle = (heading: HTMLElement) => {
      document.title = `${heading.textContent} – Arraywright`
      if (cameFrom === undefined || cameFrom === pathname) return
      heading.focus({ preventScroll: true })
      setAnnounced(heading.textContent ?? '')
    }
    const heading = find()
    if (heading) {
      settle(heading)
      return undefined
    }
    const observer = new MutationObserver(() => {
      const late = find()
      if (!late) return
      observer.disconnect()
      settle(late)
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [pathname])

  return announced
}
