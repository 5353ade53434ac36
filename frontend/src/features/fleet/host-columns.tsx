import { Link } from '@tanstack/react-router'
import type { HostRow } from '@/api/hosts'
import { healthLooks, healthOf } from '@/entities/hosts/health'
import { severityTones } from '@/entities/states/tones'
import { i18n } from '@/lib/i18n'
import type { Column } from '@/ui/DataTable'
import { Ago, Bytes } from '@/ui/Quantity'
import { Status } from '@/ui/Status'
import classes from './host-columns.module.css'

function HealthCell({ host }: { host: HostRow }) {
  const health = healthOf(host)
  const { drives_failed: failed, drive_failures_left: left } = host.summary
  return (
    <span className={classes.stack}>
      <Status tone={healthLooks[health].tone} icon={healthLooks[health].icon}>
        {i18n.t(`fleet.healthWord.${health}`)}
      </Status>
      {left !== null && health !== 'lost' && (
        <span className={classes.detail}>{i18n.t('fleet.failuresLeft', { count: left })}</span>
      )}
      {failed > 0 && (
        <span className={classes.detail}>{i18n.t('fleet.failedDrives', { count: failed })}</span>
      )}
    </span>
  )
}

function AlertsCell({ host }: { host: HostRow }) {
  const { open_alerts: open, worst_alert: worst } = host.summary
  if (open === 0) return <>0</>
  return <Status tone={(worst && severityTones[worst]) ?? 'warn'}>{String(open)}</Status>
}

function SeenCell({ host }: { host: HostRow }) {
  if (host.presence === 'online' || host.presence === 'connecting') return i18n.t('fleet.now')
  return host.last_seen ? <Ago time={host.last_seen} /> : i18n.t('fleet.never')
}

/** Their ids are the server's words for what it sorts by. */
export function hostColumns(): Column<HostRow>[] {
  const header = (key: keyof typeof import('@/locales/en/fleet').fleet.columns) =>
    i18n.t(`fleet.columns.${key}`)
  return [
    {
      id: 'name',
      header: header('host'),
      isRowHeader: true,
      sortedByServer: 'smallest-first',
      cell: (host) => (
        <Link to="/hosts/$hostId" params={{ hostId: host.id }}>
          {host.label}
        </Link>
      ),
    },
    {
      id: 'worst_state',
      header: header('health'),
      sortedByServer: 'largest-first',
      cell: (host) => <HealthCell host={host} />,
    },
    {
      id: 'drives',
      header: header('drives'),
      sortedByServer: 'largest-first',
      cell: ({ summary }) =>
        i18n.t('fleet.drivesCell', {
          used: summary.drives - summary.drives_unconfigured - summary.hot_spares,
          free: summary.drives_unconfigured,
          spares: summary.hot_spares,
        }),
    },
    {
      id: 'virtual_drives',
      header: header('virtualDrives'),
      align: 'end',
      sortedByServer: 'largest-first',
      cell: (host) => host.summary.virtual_drives,
    },
    {
      id: 'usable_bytes',
      header: header('usable'),
      align: 'end',
      wideOnly: true,
      sortedByServer: 'largest-first',
      cell: (host) => <Bytes bytes={host.summary.usable_bytes} />,
    },
    {
      id: 'operations_running',
      header: header('operations'),
      align: 'end',
      wideOnly: true,
      sortedByServer: 'largest-first',
      cell: (host) => host.summary.operations_running,
    },
    {
      id: 'open_alerts',
      header: header('alerts'),
      sortedByServer: 'largest-first',
      cell: (host) => <AlertsCell host={host} />,
    },
    {
      id: 'last_seen',
      header: header('seen'),
      sortedByServer: 'smallest-first',
      cell: (host) => <SeenCell host={host} />,
    },
  ]
}
