import type { StripeCreate, VirtualDrive } from '@/api/types'

export interface StripeWish {
  /** In their order in the stripe. */
  memberIds: string[]
  name: string
  /** Null: as the host chooses. */
  stripBytes: number | null
}

/** Undefined: too little was chosen to ask the host. */
export function toStripe(
  { name, stripBytes }: StripeWish,
  [first, ...others]: VirtualDrive[],
): { first: VirtualDrive; body: StripeCreate } | undefined {
  if (!first || others.length === 0 || name === '') return undefined
  const body: StripeCreate = {
    name,
    virtual_drive_ids: others.map((each) => each.id),
    ...(stripBytes !== null && { strip_bytes: stripBytes }),
    force: false,
  }
  return { first, body }
}
