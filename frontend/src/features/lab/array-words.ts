/** What an array of the lab may be. */
export const LEVELS = [
  'raid0',
  'raid1',
  'raid1e',
  'raid5',
  'raid6',
  'raid10',
  'raid50',
  'raid60',
] as const
export const POLICIES = ['write_through', 'write_back'] as const
export const READ_POLICIES = ['no_read_ahead', 'read_ahead', 'adaptive_read_ahead'] as const
export const IO_POLICIES = ['direct', 'cached'] as const
