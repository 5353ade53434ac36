import { useTranslation } from 'react-i18next'
import type { DriveGroup, Operation, VirtualDrive } from '@/api/types'
import { RedundancyFigure } from '@/entities/hosts/RedundancyFigure'
import { UnderWay } from '@/entities/operations/UnderWay'
import { word } from '@/entities/states/words'
import { formatBytes, formatCount } from '@/lib/format'
import { Figure, Figures } from '@/ui/Figures'
import { Bytes } from '@/ui/Quantity'
import { Status } from '@/ui/Status'

interface GroupFiguresProps {
  group: DriveGroup
  /** Its own. */
  virtualDrives: VirtualDrive[]
  operations: Operation[]
}

/** How a drive group is, before any detail: what it survives, holds, and what stands in. */
export function GroupFigures({ group, virtualDrives, operations }: GroupFiguresProps) {
  const { t } = useTranslation()
  const isRedundant = group.level !== 'raid0' && virtualDrives.length > 0
  const missing = group.members.filter((member) => member.drive_id === null).length
  const spares = group.spare_choices.filter(({ chosen }) => chosen).length
  return (
    <Figures label={t('group.figures')}>
      <RedundancyFigure
        left={
          isRedundant ? Math.min(...virtualDrives.map((each) => each.drive_failures_left)) : null
        }
        without={t(group.level === 'raid0' ? 'vd.noRedundancy' : 'group.noVirtualDrives')}
        lost={group.state === 'offline'}
      />
      <Figure label={t('group.size')} value={<Bytes bytes={group.size_bytes} />}>
        <span>{word('raidLevel', group.level)}</span>
        <span>{t('group.freeOf', { size: formatBytes(group.free_bytes) })}</span>
      </Figure>
      <Figure label={t('group.members')} value={formatCount(group.members.length)}>
        {missing > 0 && <Status tone="crit">{t('logical.missing', { count: missing })}</Status>}
        <span>{t(spares > 0 ? 'group.spareReady' : 'group.spareNone')}</span>
      </Figure>
      <UnderWay operations={operations} />
    </Figures>
  )
}
