import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Operation, VirtualDrive } from '@/api/types'
import { RedundancyFigure } from '@/entities/hosts/RedundancyFigure'
import { UnderWay } from '@/entities/operations/UnderWay'
import { word } from '@/entities/states/words'
import { formatBytes, formatPercent } from '@/lib/format'
import { reasonText } from '@/lib/told'
import { Figure, Figures } from '@/ui/Figures'
import { Bytes } from '@/ui/Quantity'

interface VirtualDriveFiguresProps {
  virtualDrive: VirtualDrive
  operations: Operation[]
}

/** How a virtual drive is, before any detail: what it survives, and what becomes of a write. */
export function VirtualDriveFigures({ virtualDrive, operations }: VirtualDriveFiguresProps) {
  const { t } = useTranslation()
  const write = virtualDrive.write_policy
  const differs = write.requested !== write.effective
  return (
    <Figures label={t('vd.figures')}>
      <RedundancyFigure
        left={virtualDrive.level === 'raid0' ? null : virtualDrive.drive_failures_left}
        without={t('vd.noRedundancy')}
        lost={virtualDrive.state === 'offline'}
      />
      <Figure label={t('vd.size')} value={<Bytes bytes={virtualDrive.size_bytes} />}>
        {word('raidLevel', virtualDrive.level)}
      </Figure>
      <Figure
        label={t('vd.write')}
        value={word('policyWord', write.effective)}
        tone={differs ? 'warn' : 'plain'}
      >
        {differs && reasonText(write.reason)}
      </Figure>
      {virtualDrive.cache && <CacheFigure virtualDrive={virtualDrive} />}
      <UnderWay operations={operations} />
    </Figures>
  )
}

/** What of it is in the controller's cache, and what that gives its readers. */
function CacheFigure({ virtualDrive: { cache, controller_id } }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  if (cache === null) return null
  return (
    <Figure
      label={t('policy.inCache')}
      value={formatBytes(cache.dirty_bytes)}
      tone={cache.pinned ? 'crit' : 'plain'}
    >
      <span>{t(cache.dirty ? 'policy.inCacheWaits' : 'policy.inCacheNone')}</span>
      {cache.pinned && (
        <span>{t('policy.inCachePinned', { size: formatBytes(cache.pinned_bytes) })}</span>
      )}
      {cache.read_hit_percent !== null && (
        <span>{t('policy.hit', { percent: formatPercent(cache.read_hit_percent) })}</span>
      )}
      <Link to="/controllers/$controllerId/cache" params={{ controllerId: controller_id }}>
        {t('battery.cachePage')}
      </Link>
    </Figure>
  )
}
