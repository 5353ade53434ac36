import type { ControllerModel } from '@/api/types'
import { POLICIES } from './array-words'
import { CACHES, type LabChoices } from './search'

const MIB = 1 << 20

/** Sizes of cache that a model may have, in MiB: small ones, which fill soon, and those it is sold
 * with. */
export function cachesOf(controller: ControllerModel): number[] {
  if (!controller.has_cache) return [0]
  const most = controller.cache_max_bytes / MIB
  const sizes = [...CACHES, controller.cache_fitted_bytes / MIB, most]
  return [...new Set(sizes)].filter((mib) => most === 0 || mib <= most).toSorted((a, b) => a - b)
}

/** What was chosen, or the most that the model takes. */
export function cacheOf(choices: LabChoices, controller: ControllerModel): number {
  if (!controller.has_cache) return 0
  const most = controller.cache_max_bytes / MIB
  return most === 0 ? choices.cacheMib : Math.min(choices.cacheMib, most)
}

/** Without a cache every write goes through. */
export function offeredPolicies(choices: LabChoices, controller: ControllerModel) {
  return POLICIES.filter((policy) => policy === 'write_through' || cacheOf(choices, controller) > 0)
}

export function policiesOf(choices: LabChoices, controller: ControllerModel) {
  const offered = offeredPolicies(choices, controller)
  const chosen = choices.policies.filter((policy) => offered.includes(policy))
  return chosen.length > 0 ? chosen : offered
}

/** Without a cache nothing that was read is kept. */
export function ioPolicyOf(choices: LabChoices, controller: ControllerModel): LabChoices['io'] {
  return cacheOf(choices, controller) > 0 ? choices.io : 'direct'
}

/** Those of the model: an address may name another one's. */
export function quirksOf(choices: LabChoices, controller: ControllerModel): string[] {
  return controller.quirks.map(({ name }) => name).filter((name) => choices.quirks.includes(name))
}
