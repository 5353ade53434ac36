import type { PolicyPreset } from '@/api/types'

const POLICIES = ['write_policy', 'read_policy', 'io_policy', 'drive_cache_policy'] as const

export type Policies = Pick<PolicyPreset, (typeof POLICIES)[number]>

/** What a preset fills in. What it means is the controller's word; nothing is decided here. */
export const policiesOf = (from: Policies): Policies => ({
  write_policy: from.write_policy,
  read_policy: from.read_policy,
  io_policy: from.io_policy,
  drive_cache_policy: from.drive_cache_policy,
})

/** With a preset only its name and what was changed in it; without one the policies themselves. */
export function policyBody(
  preset: PolicyPreset | null,
  chosen: Policies,
): Partial<Policies> & { preset?: string } {
  if (preset === null) return policiesOf(chosen)
  const changed = POLICIES.filter((name) => chosen[name] !== preset[name])
  return {
    preset: preset.name,
    ...Object.fromEntries(changed.map((name) => [name, chosen[name]])),
  }
}
