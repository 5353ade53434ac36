import { Link } from '@tanstack/react-router'
import type { Host } from '@/api/types'
import { severityTones } from '@/features/states/tones'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { Ago, Bytes } from '@/ui/Quantity'
import { Status } from '@/ui/Status'
import { healthLooks, healthOf, healthRank } from './health'
import classes from './host-columns.module.css'

function HealthCell({ host }: { host: Host }) {
  const health = healthOf(host)
  const { drives_failed: failed, drive_failures_left: left } = host.summary
  return (
    <span className={classes.stack}>
      <Status tone={healthLooks[health].tone} icon={healthLooks[health].icon}>
        {i18n.t(`fleet.healthWord.${health}`)}
      </Status>
      {left !== null && (
        <span className={classes.detail}>{i18n.t('fleet.failuresLeft', { count: left })}</span>
      )}
      {failed > 0 && (
        <span className={classes.detail}>{i18n.t('fleet.failedDrives', { count: failed })}</span>
      )}
    </span>
  )
}

function AlertsCell({ host }: { host: Host }) {
  const { open_alerts: open, worst_alert: worst } = host.summary
  if (open === 0) return <>0</>
  return <Status tone={(worst && severityTones[worst]) ?? 'warn'}>{String(open)}</Status>
}

function SeenCell({ host }: { host: Host }) {
  if (host.presence === 'online' || host.presence === 'connecting') return i18n.t('fleet.now')
  return host.last_seen ? <Ago time={host.last_seen} /> : i18n.t('fleet.never')
}

export function hostColumns(): Column<Host>[] {
  const header = (key: keyof typeof import('@/locales/en/fleet').fleet.columns) =>
    i18n.t(`fleet.columns.${key}`)
  return [
    {
      id: 'host',
      header: header('host'),
      isRowHeader: true,
      sortValue: (host) => host.name,
      cell: (host) => (
        <Link to="/hosts/$hostId" params={{ hostId: host.id }}>
          {host.label}
        </Link>
      ),
    },
    {
      id: 'health',
      header: header('health'),
      sortValue: (host) => healthRank(host),
      cell: (host) => <HealthCell host={host} />,
    },
    {
      id: 'drives',
      header: header('drives'),
      sortValue: (host) => host.summary.drives,
      cell: ({ summary }) =>
        i18n.t('fleet.drivesCell', {
          used: summary.drives - summary.drives_unconfigured - summary.hot_spares,
          free: summary.drives_unconfigured,
          spares: summary.hot_spares,
        }),
    },
    {
      id: 'virtualDrives',
      header: header('virtualDrives'),
      align: 'end',
      sortValue: (host) => host.summary.virtual_drives,
      cell: (host) => host.summary.virtual_drives,
    },
    {
      id: 'usable',
      header: header('usable'),
      align: 'end',
      wideOnly: true,
      sortValue: (host) => host.summary.usable_bytes,
      cell: (host) => <Bytes bytes={host.summary.usable_bytes} />,
    },
    {
      id: 'operations',
      header: header('operations'),
      align: 'end',
      wideOnly: true,
      sortValue: (host) => host.summary.operations_running,
      cell: (host) => host.summary.operations_running,
    },
    {
      id: 'alerts',
      header: header('alerts'),
      sortValue: (host) => host.summary.open_alerts,
      cell: (host) => <AlertsCell host={host} />,
    },
    {
      id: 'seen',
      header: header('seen'),
      cell: (host) => <SeenCell host={host} />,
    },
  ]
}
