import type { ChoiceRequest, DriveGroup } from '@/api/types'
import type { Wish } from '@/entities/wishes/wish'

/** What to ask about a wish; undefined while there is nothing to ask about. */
export function toChoice(
  wish: Wish,
  group: DriveGroup | undefined,
  driveProfile: string | null,
): ChoiceRequest | undefined {
  const members = group?.members.flatMap((member) => member.drive_id ?? []) ?? []
  const driveIds = group ? members : wish.driveIds
  if (wish.level === null || driveIds.length === 0) return undefined
  const perSpan = group ? group.drives_per_span : wish.drivesPerSpan
  return {
    controller_id: wish.controllerId,
    level: wish.level,
    drive_ids: driveIds,
    ...(perSpan !== null && { drives_per_span: perSpan }),
    ...(wish.stripBytes !== null && { strip_bytes: wish.stripBytes }),
    write_policy: wish.write_policy,
    read_policy: wish.read_policy,
    io_policy: wish.io_policy,
    ...(driveProfile !== null && { drive_profile: driveProfile }),
  }
}
