import { useTranslation } from 'react-i18next'
import type { Host } from '@/api/types'
import { RedundancyFigure } from '@/entities/hosts/RedundancyFigure'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { UnderWay } from '@/entities/operations/UnderWay'
import { formatBytes, formatCount } from '@/lib/format'
import { Figure, Figures } from '@/ui/Figures'
import { Bytes } from '@/ui/Quantity'
import { Status } from '@/ui/Status'

/** How a host is, before any detail: what it survives, what it holds, what is free, what runs. */
export function HostFigures({ host, inventory }: { host: Host; inventory: Inventory }) {
  const { t } = useTranslation()
  const { summary } = host
  const free = inventory.groups.reduce((sum, group) => sum + group.free_bytes, 0)
  return (
    <Figures label={t('host.figures')}>
      <RedundancyFigure
        left={summary.drive_failures_left}
        without={t('host.survivesUnknown')}
        lost={inventory.virtualDrives.some((each) => each.state === 'offline')}
      />
      <Figure label={t('host.stored')} value={<Bytes bytes={summary.usable_bytes} />}>
        {t('host.storedDetail', {
          count: summary.virtual_drives,
          free: formatBytes(free),
        })}
      </Figure>
      <Figure label={t('host.drives')} value={formatCount(summary.drives)}>
        {summary.drives_failed > 0 && (
          <Status tone="crit">{t('fleet.failedDrives', { count: summary.drives_failed })}</Status>
        )}
        <span>{t('host.drivesSpare', { count: summary.hot_spares })}</span>
        <span>{t('host.drivesUnused', { count: summary.drives_unconfigured })}</span>
      </Figure>
      <UnderWay operations={inventory.operations} />
    </Figures>
  )
}
