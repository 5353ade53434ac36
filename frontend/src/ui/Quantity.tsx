import { useNow } from '@/lib/clock'
import {
  formatBytes,
  formatDateTime,
  formatExactBytes,
  formatRelative,
  formatStrip,
} from '@/lib/format'
import classes from './Quantity.module.css'
import { Tooltip } from './Tooltip'

/** A size, rounded; the exact number of bytes on hover. */
export function Bytes({ bytes }: { bytes: number }) {
  return (
    <Tooltip label={formatExactBytes(bytes)}>
      <span className={classes.quantity}>{formatBytes(bytes)}</span>
    </Tooltip>
  )
}

export function Strip({ bytes }: { bytes: number }) {
  return (
    <Tooltip label={formatExactBytes(bytes)}>
      <span className={classes.quantity}>{formatStrip(bytes)}</span>
    </Tooltip>
  )
}

/** An absolute time; how long ago on hover. */
export function Timestamp({ time }: { time: string }) {
  const now = useNow()
  return (
    <Tooltip label={formatRelative(time, now)}>
      <time className={classes.quantity} dateTime={time}>
        {formatDateTime(time)}
      </time>
    </Tooltip>
  )
}

/** How long ago; the absolute time on hover. For places where age is the message. */
export function Ago({ time }: { time: string }) {
  const now = useNow()
  return (
    <Tooltip label={formatDateTime(time)}>
      <time className={classes.quantity} dateTime={time}>
        {formatRelative(time, now)}
      </time>
    </Tooltip>
  )
}
