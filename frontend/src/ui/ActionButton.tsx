import { Button, type ButtonProps, Tooltip, VisuallyHidden } from '@mantine/core'
import { type ComponentPropsWithoutRef, useId } from 'react'
import classes from './ActionButton.module.css'

interface ActionButtonProps
  extends ButtonProps,
    Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** Why the action is not possible now. The button stays visible and reachable, and says so. */
  blockedReason?: string | undefined
  /** The element that shows the reason already; without it the button brings its own, for ears. */
  reasonId?: string | undefined
}

/**
 * A button that explains itself when it may not be used: `aria-disabled` instead of `disabled`, so
 * that keyboard and touch reach the reason too.
 */
export function ActionButton(props: ActionButtonProps) {
  const { blockedReason, reasonId, onClick, children, ...rest } = props
  const ownId = useId()
  if (blockedReason === undefined) {
    return (
      <Button {...rest} onClick={onClick}>
        {children}
      </Button>
    )
  }
  return (
    <>
      <Tooltip label={blockedReason} withinPortal>
        <Button
          {...rest}
          aria-disabled
          data-disabled
          aria-describedby={reasonId ?? ownId}
          className={classes.blocked ?? ''}
          type="button"
          onClick={(event) => event.preventDefault()}
        >
          {children}
        </Button>
      </Tooltip>
      {reasonId === undefined && <VisuallyHidden id={ownId}>{blockedReason}</VisuallyHidden>}
    </>
  )
}
