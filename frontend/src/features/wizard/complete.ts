import type { Controller, DriveGroup } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { defaultCount, isFree, suggest } from '@/entities/wishes/suggest'
import type { Wish } from '@/entities/wishes/wish'

/**
 * The wish as it stands: in the simple mode with what is suggested, in a drive group with its level,
 * and always without drives that are not free any more (somebody may have taken or pulled them).
 */
export function completeWish(
  draft: Wish,
  controller: Controller,
  inventory: Inventory,
  group: DriveGroup | undefined,
): Wish {
  const own = inventory.drives.filter((drive) => drive.controller_id === controller.id)
  if (group) {
    return { ...draft, groupId: group.id, level: group.level, driveIds: [], spareIds: [] }
  }
  if (draft.mode === 'simple') return completeSimple(draft, controller, own)
  const free = new Set(own.filter(isFree).map((drive) => drive.id))
  return {
    ...draft,
    driveIds: draft.driveIds.filter((id) => free.has(id)),
    spareIds: draft.spareIds.filter((id) => free.has(id) && !draft.driveIds.includes(id)),
  }
}

function completeSimple(draft: Wish, controller: Controller, own: Inventory['drives']): Wish {
  const suggestion = suggest(draft.goal, controller.levels, own)
  const base = {
    ...draft,
    stripBytes: null,
    size: 'all' as const,
    partBytes: null,
    drivesPerSpan: null,
  }
  if (!suggestion) return { ...base, level: null, driveIds: [], spareIds: [] }
  const count =
    draft.count !== null && suggestion.counts.includes(draft.count)
      ? draft.count
      : defaultCount(suggestion)
  const members = suggestion.drives.slice(0, count)
  const spare = suggestion.drives[count]
  const wantsSpare = draft.keepSpare && draft.goal !== 'scratch' && spare !== undefined
  return {
    ...base,
    count,
    level: suggestion.level,
    driveIds: members.map((drive) => drive.id),
    spareIds: wantsSpare ? [spare.id] : [],
  }
}
