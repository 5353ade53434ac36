import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Fleet } from '@/api/types'
import {
  byTone,
  driveLooks,
  severityTones,
  UNKNOWN_LOOK,
  virtualDriveLooks,
} from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { formatBytes, formatCount } from '@/lib/format'
import { Figure } from '@/ui/Figures'
import { Bytes } from '@/ui/Quantity'
import { Status } from '@/ui/Status'
import classes from './FleetFigures.module.css'

export function FleetFigures({ fleet }: { fleet: Fleet }) {
  const { t } = useTranslation()
  const count = (list: { count: number }[]) => list.reduce((sum, entry) => sum + entry.count, 0)
  const openAlerts = count(fleet.open_alerts_by_severity)
  return (
    <section aria-label={t('fleet.summary')} className={classes.grid}>
      <Figure label={t('fleet.hosts')} value={formatCount(fleet.hosts)}>
        {t('fleet.hostsOnline', { online: fleet.hosts_online, total: fleet.hosts })}
      </Figure>
      <Figure
        label={t('fleet.virtualDrives')}
        value={
          <Link to="/virtual-drives">{formatCount(count(fleet.virtual_drives_by_state))}</Link>
        }
      >
        <States
          entries={fleet.virtual_drives_by_state}
          looks={virtualDriveLooks}
          catalogue="virtualDriveState"
          none={t('fleet.noVirtualDrives')}
        />
      </Figure>
      <Figure
        label={t('fleet.drives')}
        value={<Link to="/drives">{formatCount(count(fleet.drives_by_state))}</Link>}
      >
        <States
          entries={fleet.drives_by_state}
          looks={driveLooks}
          catalogue="driveState"
          none="–"
        />
      </Figure>
      <Figure label={t('fleet.capacity')} value={<Bytes bytes={fleet.usable_bytes} />}>
        {t('fleet.capacityOf', { raw: formatBytes(fleet.raw_bytes) })}
      </Figure>
      <Figure
        label={t('fleet.operations')}
        value={<Link to="/operations">{formatCount(fleet.operations_running)}</Link>}
      >
        {t('fleet.operationsRunning')}
      </Figure>
      <Figure label={t('fleet.alerts')} value={<Link to="/alerts">{formatCount(openAlerts)}</Link>}>
        {openAlerts === 0
          ? t('fleet.noAlerts')
          : fleet.open_alerts_by_severity
              .filter((entry) => entry.count > 0)
              .map((entry) => (
                <Status key={entry.severity} tone={severityTones[entry.severity] ?? 'idle'}>
                  {`${entry.count} ${word('severity', entry.severity)}`}
                </Status>
              ))}
      </Figure>
    </section>
  )
}

interface StatesProps {
  entries: { state: string; count: number }[]
  looks: Record<string, typeof UNKNOWN_LOOK>
  catalogue: 'driveState' | 'virtualDriveState'
  none: string
}

function States({ entries, looks, catalogue, none }: StatesProps) {
  const look = (state: string) => looks[state] ?? UNKNOWN_LOOK
  const present = entries
    .filter((entry) => entry.count > 0)
    .toSorted((a, b) => byTone(look(a.state).tone, look(b.state).tone))
  if (present.length === 0) return <>{none}</>
  return (
    <>
      {present.map(({ state, count }) => (
        <Status key={state} {...look(state)}>
          {`${formatCount(count)} ${word(catalogue, state)}`}
        </Status>
      ))}
    </>
  )
}
