import type { Drive, ForeignConfiguration } from '@/api/types'

/** What people call it; agents of the former version name its virtual drives only. */
export function nameOf(set: ForeignConfiguration): string {
  return set.name ?? set.virtual_drives[0]?.name ?? set.id.slice(0, 8)
}

/** By the host's own preview. */
export function isImportable(set: ForeignConfiguration): boolean {
  return set.outcome !== null && set.outcome !== 'refused' && set.refusal === null
}

export interface Place {
  driveId: string | null
  drive: Drive | undefined
  serial: string
  state: string
  outcome: string | null
}

/** Every drive the set speaks of: those that are there, then those that are not. */
export function placesOf(set: ForeignConfiguration, drives: Drive[]): Place[] {
  const members = set.virtual_drives.flatMap((volume) => volume.members)
  const known = (id: string | null) => drives.find((drive) => drive.id === id)
  const present = set.drive_ids.map((id): Place => {
    const told = set.drives.find((each) => each.drive_id === id)
    const member = members.find((each) => each.drive_id === id)
    const drive = known(id)
    return {
      driveId: id,
      drive,
      serial: drive?.serial ?? member?.serial ?? '',
      state: told?.state ?? member?.state ?? 'online',
      outcome: told?.outcome ?? member?.outcome ?? null,
    }
  })
  const absent = new Map<string, Place>()
  for (const { drive_id, serial, state, outcome } of members) {
    if (drive_id !== null) continue
    absent.set(serial, { driveId: null, drive: undefined, serial, state, outcome })
  }
  return [...present, ...absent.values()]
}
