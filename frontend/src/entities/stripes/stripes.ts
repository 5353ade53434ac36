import type { Stripe, VirtualDrive } from '@/api/types'

/** A stripe of a host, put together from what its members tell of it. */
export interface HostStripe extends Omit<Stripe, 'position'> {
  /** Those that are here, in their order; never empty. */
  members: [VirtualDrive, ...VirtualDrive[]]
}

const placeOf = (member: VirtualDrive) => member.stripe?.position ?? 0

export function stripesOf(virtualDrives: VirtualDrive[]): HostStripe[] {
  const stripes = new Map<string, HostStripe>()
  for (const each of virtualDrives.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    if (each.stripe === null) continue
    const { position: _, ...stripe } = each.stripe
    const known = stripes.get(stripe.key)
    if (known) known.members.push(each)
    else stripes.set(stripe.key, { ...stripe, members: [each] })
  }
  return [...stripes.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

export interface Place {
  position: number
  /** Null: the one that belongs there is not here. */
  member: VirtualDrive | null
}

/** Every place of the stripe; one for which two contend is listed twice. */
export function placesOf({ members, member_count }: HostStripe): Place[] {
  const places: Place[] = members.map((member) => ({ position: placeOf(member), member }))
  for (let position = 0; position < member_count; position += 1) {
    if (!places.some((place) => place.position === position)) {
      places.push({ position, member: null })
    }
  }
  return places.toSorted((a, b) => a.position - b.position)
}

export const connectionsOf = ({ exports }: Pick<Stripe, 'exports'>) =>
  exports.reduce((sum, each) => sum + each.connections, 0)
