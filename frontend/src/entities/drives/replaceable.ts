import type { Member } from '@/api/types'

/** Members whose data are not in use: a replacement may take their place. */
export function isReplaceable(member: Member): boolean {
  return member.drive_id === null || ['missing', 'failed', 'offline'].includes(member.state)
}
