import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Drive, DriveGroup } from '@/api/types'
import { DriveStatus } from '@/entities/drives/DriveStatus'
import { word } from '@/entities/states/words'
import { reasonText } from '@/lib/told'
import { type Fact, Facts } from '@/ui/Facts'
import { Bytes, Timestamp } from '@/ui/Quantity'
import classes from './DriveFacts.module.css'

interface DriveFactsProps {
  drive: Drive
  groups: DriveGroup[]
}

function GroupLink({ group }: { group: DriveGroup }) {
  return (
    <Link to="/drive-groups/$groupId" params={{ groupId: group.id }}>
      {`${group.path} (${word('raidLevel', group.level)})`}
    </Link>
  )
}

/** The state in words, why it is so, and where the drive belongs. */
export function DriveStateFacts({ drive, groups }: DriveFactsProps) {
  const { t } = useTranslation()
  const group = groups.find(({ id }) => id === drive.drive_group_id)
  const facts: Fact[] = [
    {
      label: t('drive.state'),
      value: (
        <>
          <DriveStatus state={drive.state} />
          <p className={classes.help}>{word('driveStateHelp', drive.state)}</p>
        </>
      ),
    },
  ]
  if (drive.state_reason)
    facts.push({ label: t('drive.why'), value: reasonText(drive.state_reason) })
  if (drive.unsuitable) {
    facts.push({ label: t('drive.unsuitable'), value: reasonText(drive.unsuitable) })
  }
  if (drive.foreign) {
    facts.push({
      label: t('drive.foreign'),
      value: (
        <>
          {t('drive.foreignText')}{' '}
          <Link
            to="/controllers/$controllerId/foreign"
            params={{ controllerId: drive.controller_id }}
          >
            {t('drive.foreignOpen')}
          </Link>
        </>
      ),
    })
  }
  if (group) facts.push({ label: t('drive.group'), value: <GroupLink group={group} /> })
  if (drive.span !== null && drive.row !== null) {
    facts.push({
      label: t('drive.member'),
      value: t('drive.memberPlace', { span: drive.span, row: drive.row }),
    })
  }
  if (group?.members.some((member) => member.drive_id === drive.id && member.last_copy)) {
    facts.push({ label: t('drive.redundancy'), value: t('drive.lastCopy') })
  }
  if (drive.hot_spare) {
    const served = groups.filter(({ id }) => drive.hot_spare?.drive_group_ids.includes(id))
    facts.push({
      label: t('drive.spareFor'),
      value:
        served.length === 0
          ? t('drive.spareForAny')
          : served.map((each) => <GroupLink key={each.id} group={each} />),
    })
    facts.push({
      label: t('drive.spareManner'),
      value: [
        t(drive.hot_spare.revertible ? 'drive.spareRevertible' : 'drive.spareCommitted'),
        ...(drive.hot_spare.enclosure_affinity ? [t('drive.spareAffinity')] : []),
      ].join(' '),
    })
  }
  return <Facts facts={facts} />
}

/** What the host tells of the drive's mechanics and link; what it does not tell is left out. */
function useLinkFacts(drive: Drive): Fact[] {
  const { t } = useTranslation()
  const facts: Fact[] = []
  if (drive.vendor) facts.push({ label: t('drive.vendor'), value: drive.vendor })
  if (drive.rotation_rpm) {
    facts.push({
      label: t('drive.rotation'),
      value: t('drive.rotationValue', { rpm: drive.rotation_rpm }),
    })
  }
  if (drive.link_speed_mbps) {
    facts.push({
      label: t('drive.link'),
      value: t(drive.link_lanes ? 'drive.linkLanes' : 'drive.linkValue', {
        speed: drive.link_speed_mbps / 1000,
        lanes: drive.link_lanes ?? 0,
      }),
    })
  }
  return facts
}

export function DriveIdentityFacts({ drive }: { drive: Drive }) {
  const { t } = useTranslation()
  const links = useLinkFacts(drive)
  return (
    <Facts
      facts={[
        { label: t('drive.path'), value: <code>{drive.path}</code> },
        { label: t('drive.model'), value: drive.model || null },
        { label: t('drive.serial'), value: <code>{drive.serial}</code> },
        { label: t('drive.wwn'), value: drive.wwn ? <code>{drive.wwn}</code> : null },
        { label: t('drive.firmware'), value: drive.firmware || null },
        {
          label: t('drive.media'),
          value: `${word('media', drive.media)}, ${drive.interface.toUpperCase()}`,
        },
        ...links,
        { label: t('drive.size'), value: <Bytes bytes={drive.size_bytes} /> },
        {
          label: t('drive.usable'),
          value: (
            <>
              <Bytes bytes={drive.usable_bytes} /> ({t('drive.usableHelp')})
            </>
          ),
        },
        {
          label: t('drive.block'),
          value: t('drive.blockValue', {
            logical: drive.block_bytes,
            physical: drive.physical_block_bytes,
          }),
        },
        { label: t('drive.device'), value: <code>{drive.device}</code> },
      ]}
    />
  )
}

/** What the drive says of itself; figures that it does not tell are left out. */
function useHealthFacts(drive: Drive): Fact[] {
  const { t } = useTranslation()
  const health = drive.health
  if (!health) return []
  const facts: Fact[] = [{ label: t('drive.smart'), value: word('smartState', health.state) }]
  if (health.reason) facts.push({ label: t('drive.why'), value: reasonText(health.reason) })
  if (health.failing && health.state !== 'failing') {
    facts.push({ label: t('drive.smartVerdict'), value: word('smartState', 'failing') })
  }
  const figures = [
    [t('drive.powerOnHours'), health.power_on_hours],
    [t('drive.reallocated'), health.reallocated_sectors],
    [t('drive.pending'), health.pending_sectors],
    [t('drive.smartMediaErrors'), health.media_errors],
    [t('drive.wear'), health.wear_percent === null ? null : `${health.wear_percent} %`],
  ] as const
  for (const [label, value] of figures) if (value !== null) facts.push({ label, value })
  if (health.checked_at) {
    facts.push({ label: t('drive.checked'), value: <Timestamp time={health.checked_at} /> })
  }
  return facts
}

/** When it was last patrolled, or why it is not; older agents do not tell. */
function usePatrolFacts(drive: Drive): Fact[] {
  const { t } = useTranslation()
  const { patrol } = drive
  if (!patrol) return []
  const facts: Fact[] = []
  if (patrol.done_at) {
    facts.push({
      label: t('drive.patrolled'),
      value: (
        <>
          {t('drive.patrolledAll')} <Timestamp time={patrol.done_at} />
        </>
      ),
    })
  } else if (!patrol.skipped) {
    facts.push({ label: t('drive.patrolled'), value: t('drive.patrolledNot') })
  }
  if (patrol.skipped) {
    facts.push({ label: t('drive.patrolSkipped'), value: reasonText(patrol.skipped) })
  }
  if (patrol.read_bytes > 0) {
    facts.push({ label: t('drive.patrolBytes'), value: <Bytes bytes={patrol.read_bytes} /> })
  }
  return facts
}

export function DriveCounterFacts({ drive }: { drive: Drive }) {
  const { t } = useTranslation()
  const health = useHealthFacts(drive)
  const patrol = usePatrolFacts(drive)
  return (
    <Facts
      facts={[
        ...health,
        { label: t('drive.mediaErrors'), value: drive.media_error_count },
        { label: t('drive.otherErrors'), value: drive.other_error_count },
        { label: t('drive.predictive'), value: drive.predictive_failure_count },
        ...patrol,
        {
          label: t('drive.temperature'),
          value:
            drive.temperature_c === null
              ? t('chassis.noTemperature')
              : t('chassis.temperature', { celsius: drive.temperature_c }),
        },
        {
          label: t('drive.writeCache'),
          value: word('policyWord', drive.write_cache ?? 'unknown'),
        },
        ...(drive.locating && drive.locate_ends_at
          ? [{ label: t('drive.locateEnds'), value: <Timestamp time={drive.locate_ends_at} /> }]
          : []),
        ...(drive.spun_down ? [{ label: t('drive.motor'), value: t('drive.spunDown') }] : []),
        { label: t('drive.present'), value: drive.present ? t('common.yes') : t('common.no') },
      ]}
    />
  )
}
