import { useLayoutEffect, useRef, useState } from 'react'

/** Whether an element is too narrow for what is in it; only then it has to be a tab stop. */
export function useScrolls<Element extends HTMLElement>() {
  const ref = useRef<Element>(null)
  const [scrolls, setScrolls] = useState(false)

  // Before it is painted: nobody meets a frame that scrolls and is no tab stop yet.
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const measure = () => setScrolls(element.scrollWidth > element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // The frame keeps its width when the content grows; the content's own box does not.
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [])

  return { ref, scrolls }
}
