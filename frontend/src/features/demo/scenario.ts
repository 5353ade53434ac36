import type { QueryClient } from '@tanstack/react-query'
import { controllerQuery } from '@/api/controllers'
import { stripeChanges } from '@/api/stripes'
import type { Command, Controller, VirtualDrive } from '@/api/types'
import { previewQuery, virtualDriveChanges, virtualDriveQuery } from '@/api/virtual-drives'
import { finishCommand } from '@/entities/commands/follow'
import { sendSeen } from '@/entities/commands/send-seen'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { blockedText } from '@/entities/states/words'
import { type HostStripe, stripesOf } from '@/entities/stripes/stripes'
import { isFree } from '@/entities/wishes/suggest'
import { emptyWish, toCreate, toPreview } from '@/entities/wishes/wish'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'

/**
 * A RAID 0 on each of two controllers, and a stripe over both. What exists of it is read from the
 * host, by the names: so it can be gone on with, or removed, after a reload and by anybody.
 */
export const STRIPE_NAME = 'x25e'
const MEMBER_NAMES = ['x25e-0', 'x25e-1'] as const

export interface Half {
  step: 'first' | 'second'
  name: string
  controller: Controller
  virtualDrive: VirtualDrive | undefined
}

export interface Scenario {
  halves: [Half, Half]
  stripe: HostStripe | undefined
}

/** Undefined: not a host with two controllers of emulated drives. */
export function scenarioOf(inventory: Inventory): Scenario | undefined {
  const [first, second] = inventory.controllers
    .filter(({ id }) =>
      inventory.drives.some((drive) => drive.controller_id === id && drive.emulated),
    )
    .toSorted((a, b) => a.path.localeCompare(b.path))
  if (!first || !second) return undefined
  const half = (step: Half['step'], name: string, controller: Controller): Half => ({
    step,
    name,
    controller,
    virtualDrive: inventory.virtualDrives.find(
      (each) => each.name === name && each.controller_id === controller.id,
    ),
  })
  return {
    halves: [half('first', MEMBER_NAMES[0], first), half('second', MEMBER_NAMES[1], second)],
    stripe: stripesOf(inventory.virtualDrives).find((each) => each.name === STRIPE_NAME),
  }
}

export const isBegun = ({ halves, stripe }: Scenario) =>
  stripe !== undefined || halves.some((half) => half.virtualDrive)

/** Why the next step cannot be taken now, as the host says. */
export function buildBlocked({ halves: [first, second] }: Scenario): string | undefined {
  const next = [first, second].find((half) => !half.virtualDrive)
  return next
    ? blockedText(next.controller.blocked, 'vd_create')
    : blockedText(first.virtualDrive?.blocked ?? {}, 'stripe_create')
}

export function removeBlocked({ halves, stripe }: Scenario): string | undefined {
  if (stripe) return blockedText(stripe.members[0].blocked, 'stripe_delete')
  const last = halves.find((half) => half.virtualDrive)?.virtualDrive
  return blockedText(last?.blocked ?? {}, 'vd_delete')
}

type Done = (command: Command) => Promise<Command>

/** The virtual drive of a half: the one that is there, or a new one as the host plans it. */
async function makeHalf(
  client: QueryClient,
  { controller, name, virtualDrive }: Half,
  inventory: Inventory,
  done: Done,
): Promise<string> {
  if (virtualDrive) return virtualDrive.id
  const free = inventory.drives.filter(
    (drive) => drive.controller_id === controller.id && isFree(drive),
  )
  const wish = toPreview({
    ...emptyWish(controller.id),
    level: 'raid0',
    driveIds: free.map((drive) => drive.id),
    name,
  })
  if (!wish) throw new Error(i18n.t('demo.noDrives', { controller: controller.path }))
  const plan = await client.fetchQuery({ ...previewQuery(wish), staleTime: 0 })
  if (!plan.ok) throw new Error(plan.refusals.map(reasonText).join(' '))
  const present = await client.fetchQuery({ ...controllerQuery(controller.id), staleTime: 0 })
  const command = await done(
    await virtualDriveChanges.create(toCreate(wish, plan.plan_digest), present),
  )
  const made = command.objects.find((object) => object.kind === 'virtual_drive')
  if (!made) throw new Error(command.id)
  return made.id
}

/** Builds what is not there yet, one command after the other. The last one is the caller's. */
export async function build(
  client: QueryClient,
  { halves }: Scenario,
  inventory: Inventory,
  onStep: (step: Half['step'] | 'stripe') => void,
): Promise<Command> {
  const done = (command: Command) => finishCommand(client, command)
  const ids: string[] = []
  for (const half of halves) {
    onStep(half.step)
    ids.push(await makeHalf(client, half, inventory, done))
  }
  onStep('stripe')
  const [first = '', ...others] = ids
  return stripeChanges.create(first, {
    name: STRIPE_NAME,
    virtual_drive_ids: others,
    force: false,
  })
}

/** Takes it apart in the other order. */
export async function remove(
  client: QueryClient,
  { halves, stripe }: Scenario,
  typed: string,
): Promise<Command> {
  const requests: (() => Promise<Command>)[] = []
  const change = (
    { id }: VirtualDrive,
    request: (present: VirtualDrive) => Promise<Command>,
  ): (() => Promise<Command>) => {
    const look = () => client.fetchQuery({ ...virtualDriveQuery(id), staleTime: 0 })
    return async () =>
      sendSeen(client, request, { seen: await look(), look, basis: ({ name }) => name })
  }
  if (stripe) {
    requests.push(
      change(stripe.members[0], (present) => stripeChanges.remove(present, typed, false)),
    )
  }
  for (const { virtualDrive, name } of halves) {
    if (!virtualDrive) continue
    requests.push(
      change(virtualDrive, (present) => virtualDriveChanges.remove(present, name, false)),
    )
  }
  const last = requests.pop()
  if (!last) throw new Error(STRIPE_NAME)
  for (const request of requests) await request()
  return last()
}
