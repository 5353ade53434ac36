import type { ReactNode } from 'react'
import classes from './PageHeader.module.css'

interface PageHeaderProps {
  title: string
  /** Links to the levels above, nearest last. */
  crumbs?: ReactNode[]
  status?: ReactNode
  subtitle?: ReactNode
  actions?: ReactNode
  crumbsLabel?: string
}

export function PageHeader({
  title,
  crumbs = [],
  status,
  subtitle,
  actions,
  crumbsLabel,
}: PageHeaderProps) {
  return (
    <header className={classes.header}>
      {crumbs.length > 0 && (
        <nav aria-label={crumbsLabel}>
          <ol className={classes.crumbs}>
            {crumbs.map((crumb, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the level is the identity of a crumb
              <li key={index}>{crumb}</li>
            ))}
          </ol>
        </nav>
      )}
      <div className={classes.line}>
        <div className={classes.title}>
          {/* Takes the focus after a navigation, see useRouteFocus. */}
          <h1 tabIndex={-1}>{title}</h1>
          {status}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {subtitle && <p className={classes.subtitle}>{subtitle}</p>}
    </header>
  )
}
