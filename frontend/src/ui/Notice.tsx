import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './Notice.module.css'

const ICONS = { info: Info, ok: CircleCheck, warn: TriangleAlert, crit: CircleAlert, idle: Info }

interface NoticeProps {
  tone: keyof typeof ICONS
  title?: string
  children?: ReactNode
  action?: ReactNode
  /** Spoken when it appears: for results of what the user just did. */
  live?: boolean
}

export function Notice({ tone, title, children, action, live = false }: NoticeProps) {
  const Icon = ICONS[tone]
  return (
    <div className={classes.notice} data-tone={tone} role={live ? 'alert' : undefined}>
      <Icon size={18} aria-hidden className={classes.icon} />
      <div className={classes.content}>
        {title && <p className={classes.title}>{title}</p>}
        {children}
      </div>
      {action && <div className={classes.action}>{action}</div>}
    </div>
  )
}
