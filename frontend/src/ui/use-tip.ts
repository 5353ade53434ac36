import { type FocusEvent, type PointerEvent, useEffect, useRef, useState } from 'react'

const OPEN_MS = 150
/** Long enough for the pointer to cross the gap between an element and its tooltip. */
const CLOSE_MS = 120

/**
 * When a tooltip shows: under a pointer that rests, with the focus of the keyboard, and after a tap
 * until the next one. Escape closes it.
 */
export function useTip() {
  const [anchor, setAnchor] = useState<Element | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const later = (ms: number, next: Element | null) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setAnchor(next), ms)
  }
  const close = () => {
    clearTimeout(timer.current)
    setAnchor(null)
  }

  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    if (anchor === null) return
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setAnchor(null)
    const onTap = ({ pointerType, target }: globalThis.PointerEvent) => {
      if (pointerType === 'touch' && !anchor.contains(target as Node)) setAnchor(null)
    }
    document.addEventListener('keydown', onKey, true)
    document.addEventListener('pointerdown', onTap, true)
    return () => {
      document.removeEventListener('keydown', onKey, true)
      document.removeEventListener('pointerdown', onTap, true)
    }
  }, [anchor])

  return {
    anchor,
    /** For the element that the tooltip explains. */
    target: {
      onPointerEnter: (event: PointerEvent) => later(OPEN_MS, event.currentTarget),
      onPointerLeave: (event: PointerEvent) => {
        if (event.pointerType !== 'touch') later(CLOSE_MS, null)
      },
      onFocus: (event: FocusEvent) => {
        if (event.currentTarget.matches(':focus-visible')) setAnchor(event.currentTarget)
      },
      onBlur: close,
    },
    /** For the tooltip: the pointer may rest on it, to read or to copy. */
    bubble: {
      onPointerEnter: () => clearTimeout(timer.current),
      onPointerLeave: () => later(CLOSE_MS, null),
    },
  }
}
