import { CircleDashed } from 'lucide-react'
import type { Drive, DriveGroup, Operation } from '@/api/types'
import type { BayFace } from '@/entities/chassis/Bay'
import { driveLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { formatBytes, formatPercent } from '@/lib/format'
import { i18n } from '@/lib/i18n'

export interface FaceContext {
  groups: Map<string, DriveGroup>
  /** Running operations by the drive they work on. */
  operations: Map<string, Operation>
}

export function emptyFace(slot: number): BayFace {
  const empty = i18n.t('chassis.empty')
  return {
    slot,
    slotWord: i18n.t('chassis.slotWord'),
    spoken: '',
    empty: true,
    tone: 'idle',
    icon: CircleDashed,
    word: empty,
  }
}

/** A drive as its bay shows and speaks it: word, icon and color say the same. */
export function driveFace(drive: Drive, context: FaceContext): BayFace {
  const look = driveLooks[drive.state] ?? UNKNOWN_LOOK
  const group = drive.drive_group_id ? context.groups.get(drive.drive_group_id) : undefined
  const operation = context.operations.get(drive.id)
  const slot = drive.slot ?? drive.did
  const temperature =
    drive.temperature_c === null
      ? undefined
      : i18n.t('chassis.temperature', { celsius: drive.temperature_c })
  const full = word('driveState', drive.state)
  const short = word('driveStateBay', drive.state)
  const spoken = [
    full === short ? undefined : full,
    group ? i18n.t('chassis.groupLong', { index: group.index }) : i18n.t('chassis.noGroup'),
    temperature,
    operation &&
      i18n.t('chassis.rebuildPercent', { percent: formatPercent(operation.progress_percent) }),
    drive.locating ? i18n.t('chassis.locating') : undefined,
  ]
  return {
    slot,
    slotWord: i18n.t('chassis.slotWord'),
    spoken: spoken.filter(Boolean).join(', '),
    empty: false,
    tone: drive.unsuitable ? 'warn' : look.tone,
    icon: look.icon,
    word: short,
    size: formatBytes(drive.size_bytes),
    locating: drive.locating,
    ...(group && {
      group: { index: group.index, text: i18n.t('chassis.group', { index: group.index }) },
    }),
    ...(temperature !== undefined &&
      drive.temperature_c !== null && {
        temperature: { celsius: drive.temperature_c, text: temperature },
      }),
    ...(operation && { percent: operation.progress_percent }),
  }
}
