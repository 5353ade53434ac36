import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core'
import { type ComponentPropsWithoutRef, type MouseEvent, useId } from 'react'
import classes from './ActionButton.module.css'
import { Tooltip } from './Tooltip'

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
 * that keyboard and touch reach the reason too. It is the same element in both states: news of the
 * host take neither the focus nor a click away from it.
 */
export function ActionButton(props: ActionButtonProps) {
  const { blockedReason, reasonId, children, ...rest } = props
  const ownId = useId()
  const isBlocked = blockedReason !== undefined
  return (
    <>
      <Tooltip label={blockedReason}>
        <Button {...rest} {...(isBlocked && blockedProps(reasonId ?? ownId))}>
          {children}
        </Button>
      </Tooltip>
      {isBlocked && reasonId === undefined && (
        <VisuallyHidden id={ownId}>{blockedReason}</VisuallyHidden>
      )}
    </>
  )
}

const blockedProps = (reasonId: string) => ({
  'aria-disabled': true,
  'data-disabled': true,
  'aria-describedby': reasonId,
  className: classes.blocked ?? '',
  type: 'button' as const,
  onClick: (event: MouseEvent) => event.preventDefault(),
})
