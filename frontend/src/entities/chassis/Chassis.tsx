import { type KeyboardEvent, useRef, useState } from 'react'
import { Bay, type BayFace } from './Bay'
import { type ChassisShape, layoutBays, moveBetweenBays } from './bay-layout'
import classes from './Chassis.module.css'

export type Coloring = 'state' | 'group' | 'temperature'

interface ChassisProps {
  label: string
  shape: ChassisShape
  faces: Map<number, BayFace>
  emptyFace: (slot: number) => BayFace
  coloring: Coloring
  /** Slots that are on: the open bay on a host page, the chosen drives in the wizard. */
  selected: ReadonlySet<number>
  peers?: ReadonlySet<number>
  multiselect?: boolean
  onToggle: (slot: number) => void
  onEscape?: () => void
  dimmed?: boolean
}

/**
 * The front of an enclosure as one grid widget: one tab stop, arrows move as the eye sees it, Enter
 * or Space opens or chooses a bay.
 */
export function Chassis(props: ChassisProps) {
  const grid = layoutBays(props.shape)
  const buttons = useRef(new Map<number, HTMLButtonElement>())
  const [active, setActive] = useState(() => props.selected.values().next().value ?? 0)
  const columns = Math.max(...grid.map((row) => row.length), 1)
  const tabStop = active < props.shape.slot_count ? active : 0

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      props.onEscape?.()
      return
    }
    const target = moveBetweenBays(grid, tabStop, event.key, event.ctrlKey)
    if (target === undefined) return
    event.preventDefault()
    setActive(target)
    buttons.current.get(target)?.focus()
  }

  return (
    <div className={classes.scroll} data-dimmed={props.dimmed}>
      <div
        role="grid"
        aria-label={props.label}
        aria-multiselectable={props.multiselect}
        className={classes.chassis}
        style={{ '--columns': columns } as React.CSSProperties}
        onKeyDown={onKeyDown}
      >
        {grid.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a chassis do not move
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div role="row" key={index} className={classes.row}>
            {row.map(({ slot }) => (
              <Bay
                key={slot}
                face={props.faces.get(slot) ?? props.emptyFace(slot)}
                coloring={props.coloring}
                selected={props.selected.has(slot)}
                peer={props.peers?.has(slot) ?? false}
                tabIndex={slot === tabStop ? 0 : -1}
                buttonRef={(element) => {
                  if (element) buttons.current.set(slot, element)
                  else buttons.current.delete(slot)
                }}
                onFocus={() => setActive(slot)}
                onToggle={() => props.onToggle(slot)}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
