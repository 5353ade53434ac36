import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import {
  Activity,
  Battery,
  Bell,
  Database,
  FlaskConical,
  HardDrive,
  KeyRound,
  Layers,
  type LucideIcon,
  Plus,
  ScrollText,
  Server,
  ShieldCheck,
  Users,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { fleetQuery } from '@/api/hosts'
import { useHasRole } from '@/entities/session/session'
import classes from './Shell.module.css'

interface ItemProps {
  to: LinkProps['to']
  icon: LucideIcon
  children: string
  badge?: ReactNode
  exact?: boolean
}

function Item({ to, icon: Icon, children, badge, exact = false }: ItemProps) {
  return (
    <li>
      <Link to={to} className={classes.item} activeOptions={{ exact, includeSearch: false }}>
        <Icon size={18} aria-hidden />
        <span className={classes.itemText}>{children}</span>
        {badge}
      </Link>
    </li>
  )
}

function AlertCount() {
  const { t } = useTranslation()
  const { data } = useQuery(fleetQuery)
  const open = data?.open_alerts_by_severity.reduce((sum, entry) => sum + entry.count, 0) ?? 0
  if (open === 0) return null
  return <span className={classes.badge}>{t('shell.alertsOpen', { count: open })}</span>
}

export function Navigation() {
  const { t } = useTranslation()
  const isAdministrator = useHasRole('administrator')
  return (
    <nav aria-label={t('shell.mainNavigation')} className={classes.nav}>
      <ul>
        <Item to="/" icon={Server} exact>
          {t('shell.fleet')}
        </Item>
        <Item to="/alerts" icon={Bell} badge={<AlertCount />}>
          {t('shell.alerts')}
        </Item>
        <Item to="/operations" icon={Activity}>
          {t('shell.operations')}
        </Item>
        <Item to="/events" icon={ScrollText}>
          {t('shell.events')}
        </Item>
        <Item to="/lab" icon={FlaskConical}>
          {t('shell.lab')}
        </Item>
      </ul>
      <p className={classes.group}>{t('shell.storage')}</p>
      <ul>
        <Item to="/virtual-drives" icon={Database}>
          {t('shell.virtualDrives')}
        </Item>
        <Item to="/drive-groups" icon={Layers}>
          {t('shell.groups')}
        </Item>
        <Item to="/drives" icon={HardDrive}>
          {t('shell.drives')}
        </Item>
        <Item to="/batteries" icon={Battery}>
          {t('shell.batteries')}
        </Item>
      </ul>
      <p className={classes.group}>{t('shell.access')}</p>
      <ul>
        {isAdministrator && (
          <>
            <Item to="/hosts/add" icon={Plus}>
              {t('shell.addHost')}
            </Item>
            <Item to="/users" icon={Users}>
              {t('shell.users')}
            </Item>
          </>
        )}
        <Item to="/tokens" icon={KeyRound}>
          {t('shell.tokens')}
        </Item>
        {isAdministrator && (
          <Item to="/audit" icon={ShieldCheck}>
            {t('shell.audit')}
          </Item>
        )}
      </ul>
    </nav>
  )
}
