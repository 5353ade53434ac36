import type { PolicyPreset } from '@/api/types'

const POLICIES = [
  'write_policy',
  'read_policy',
  'io_policy',
  'drive_cache_policy',
  'degraded_policy',
] as const

/** Where they come from; a host of an earlier version knows no policy for while it is degraded. */
type Source = Pick<PolicyPreset, (typeof POLICIES)[number]>

export type Policies = { [Name in keyof Source]-?: NonNullable<Source[Name]> }

/** What a preset fills in. What it means is the controller's word; nothing is decided here. */
export const policiesOf = (from: Source): Policies => ({
  write_policy: from.write_policy,
  read_policy: from.read_policy,
  io_policy: from.io_policy,
  drive_cache_policy: from.drive_cache_policy,
  degraded_policy: from.degraded_policy ?? 'keep',
})

/** What every host does unless it is told otherwise is not said: an earlier one has no word for it. */
function spoken({ degraded_policy, ...others }: Policies): Partial<Policies> {
  return degraded_policy === 'keep' ? others : { ...others, degraded_policy }
}

/** With a preset only its name and what was changed in it; without one the policies themselves. */
export function policyBody(
  preset: PolicyPreset | null,
  chosen: Policies,
): Partial<Policies> & { preset?: string } {
  if (preset === null) return spoken(policiesOf(chosen))
  const whole = policiesOf(preset)
  const changed = POLICIES.filter((name) => chosen[name] !== whole[name])
  return {
    preset: preset.name,
    ...Object.fromEntries(changed.map((name) => [name, chosen[name]])),
  }
}
