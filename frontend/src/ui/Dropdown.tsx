import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import classes from './Dropdown.module.css'

interface DropdownProps {
  label: string
  trigger: ReactNode
  /** Which edges of button and panel meet: the end's where the button is at the window's edge. */
  align?: 'start' | 'end'
  children: (close: () => void) => ReactNode
}

/** A button that opens a few links and buttons below itself; closes on Escape and when left. */
export function Dropdown({ label, trigger, align = 'end', children }: DropdownProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    setOpen(false)
    button.current?.focus()
  }

  function onBlur(event: FocusEvent<HTMLDivElement>) {
    // Without a next element the window lost the focus, or a click hit nothing: a click outside.
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only listens to what bubbles from inside
    <div className={classes.root} onKeyDown={onKeyDown} onBlur={onBlur}>
      <button
        ref={button}
        type="button"
        className={classes.trigger}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {trigger}
      </button>
      {/* Focusable by script only, so that a click on its padding does not close it. */}
      <div id={id} className={classes.panel} data-align={align} hidden={!isOpen} tabIndex={-1}>
        {isOpen && children(() => setOpen(false))}
      </div>
    </div>
  )
}
