import type { components } from '@/api/schema.gen'

type Schemas = components['schemas']

/** The words of each policy, in the order they are offered. The compiler checks that they exist. */
export const POLICY_OPTIONS = {
  write_policy: ['write_through', 'write_back', 'always_write_back'],
  read_policy: ['no_read_ahead', 'read_ahead', 'adaptive_read_ahead'],
  io_policy: ['direct', 'cached'],
  drive_cache_policy: ['default', 'on', 'off'],
  degraded_policy: ['keep', 'write_through'],
  access: ['read_write', 'read_only', 'blocked'],
  stripe_log_mode: ['auto', 'on', 'off'],
} as const satisfies {
  write_policy: Schemas['WritePolicy'][]
  read_policy: Schemas['ReadPolicy'][]
  io_policy: Schemas['IoPolicy'][]
  drive_cache_policy: Schemas['DriveCachePolicy'][]
  degraded_policy: Schemas['DegradedPolicy'][]
  access: Schemas['AccessPolicy'][]
  stripe_log_mode: Schemas['StripeLogMode'][]
}

export type PolicyName = keyof typeof POLICY_OPTIONS

/** Limits the agent checks as well; here only so that a typing mistake shows at once. */
export const NAME_PATTERN = /^[A-Za-z0-9_-]{1,15}$/
