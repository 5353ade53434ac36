import { Children, cloneElement, type ReactElement, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import classes from './Tooltip.module.css'
import { useTip } from './use-tip'

const GAP_PX = 6
const MARGIN_PX = 8

type Handler = (event: never) => void
type Props = Record<string, unknown>

interface TooltipProps {
  /** Nothing is shown without a label. */
  label: string | undefined
  children: ReactElement<Props>
}

/** A short text about an element, beside it. Mantine's own would cost the first page 14 kB. */
export function Tooltip({ label, children }: TooltipProps) {
  const id = useId()
  const { anchor, target, bubble } = useTip()
  const child = Children.only(children)
  const isShown = anchor !== null && label !== undefined
  return (
    <>
      {cloneElement(child, {
        ...both(child.props, target),
        'aria-describedby': child.props['aria-describedby'] ?? (isShown ? id : undefined),
        // The Escape that closes the tooltip does not close the dialog around it.
        'data-mantine-stop-propagation': isShown || undefined,
      })}
      {isShown &&
        createPortal(
          <Bubble id={id} anchor={anchor} text={label} handlers={bubble} />,
          document.body,
        )}
    </>
  )
}

/** The handlers of an element, and after each of them the tooltip's. */
function both(own: Props, added: Record<string, Handler>): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(added).map(([name, handler]) => [
      name,
      (event: never) => {
        ;(own[name] as Handler | undefined)?.(event)
        handler(event)
      },
    ]),
  )
}

interface BubbleProps {
  id: string
  anchor: Element
  text: string
  handlers: Record<'onPointerEnter' | 'onPointerLeave', () => void>
}

function Bubble({ id, anchor, text, handlers }: BubbleProps) {
  const ref = useRef<HTMLDivElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another width
  useLayoutEffect(() => {
    const move = () => ref.current && place(ref.current, anchor)
    move()
    window.addEventListener('resize', move)
    window.addEventListener('scroll', move, true)
    return () => {
      window.removeEventListener('resize', move)
      window.removeEventListener('scroll', move, true)
    }
  }, [anchor, text])

  return (
    <div ref={ref} id={id} role="tooltip" className={classes.bubble} {...handlers}>
      {text}
    </div>
  )
}

/** Above the element where there is room, else below; never beyond the edge of the window. */
function place(bubble: HTMLElement, anchor: Element) {
  const at = anchor.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const above = at.top - GAP_PX - height
  const left = at.left + (at.width - width) / 2
  const end = document.documentElement.clientWidth - MARGIN_PX - width
  bubble.style.top = `${above < MARGIN_PX ? at.bottom + GAP_PX : above}px`
  bubble.style.left = `${Math.max(MARGIN_PX, Math.min(left, end))}px`
}
