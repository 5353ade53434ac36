import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  Info,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import classes from './Status.module.css'

/** What a state means for the reader; each tone has its own icon, so color never stands alone. */
export type Tone = 'ok' | 'info' | 'warn' | 'crit' | 'idle'

const ICONS: Record<Tone, LucideIcon> = {
  ok: CircleCheck,
  info: Info,
  warn: TriangleAlert,
  crit: CircleAlert,
  idle: CircleDashed,
}

interface StatusProps {
  tone: Tone
  children: string
  icon?: LucideIcon
  /** A filled pill stands out in headers; in tables the plain form is calmer. */
  variant?: 'plain' | 'pill'
}

export function Status({ tone, children, icon, variant = 'plain' }: StatusProps) {
  const Icon = icon ?? ICONS[tone]
  return (
    <span className={classes.status} data-tone={tone} data-variant={variant}>
      <Icon size={15} strokeWidth={2.25} aria-hidden />
      <span>{children}</span>
    </span>
  )
}
