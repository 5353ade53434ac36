import { CloudOff, Inbox, Lock, type LucideIcon, SearchX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

/** Why there is nothing to see: these are five different messages and never the same one. */
export type EmptyKind = 'none-yet' | 'none-match' | 'not-allowed' | 'offline' | 'failed'

const ICONS: Record<EmptyKind, LucideIcon> = {
  'none-yet': Inbox,
  'none-match': SearchX,
  'not-allowed': Lock,
  offline: CloudOff,
  failed: TriangleAlert,
}

interface EmptyStateProps {
  kind: EmptyKind
  title: string
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ kind, title, children, action }: EmptyStateProps) {
  const Icon = ICONS[kind]
  return (
    <div className={classes.empty} data-kind={kind}>
      <Icon size={28} strokeWidth={1.75} aria-hidden />
      <p className={classes.title}>{title}</p>
      {children && <div className={classes.text}>{children}</div>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  )
}
