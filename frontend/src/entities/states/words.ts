import type { Reason } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { refusalText } from './refusal'

type Catalogue =
  | 'driveState'
  | 'driveStateBay'
  | 'driveStateHelp'
  | 'virtualDriveState'
  | 'virtualDriveStateHelp'
  | 'hostStripeState'
  | 'hostStripeStateHelp'
  | 'controllerStatus'
  | 'raidLevel'
  | 'operationKind'
  | 'operationState'
  | 'severity'
  | 'policyWord'
  | 'presetName'
  | 'media'
  | 'smartState'
  | 'objectKind'
  | 'role'
  | 'roleHelp'
  | 'commandState'
  | 'batteryState'
  | 'batteryKind'
  | 'batteryFault'
  | 'learnMode'
  | 'learnState'
  | 'learnResult'
  | 'patrolMode'
  | 'cacheState'
  | 'cacheMedium'
  | 'readAheadState'
  | 'metric'
  | 'foreignFormat'
  | 'foreignState'
  | 'foreignMemberState'
  | 'foreignOutcome'
  | 'foreignDriveOutcome'

/** Keys made at run time are checked by `exists` instead of by the compiler. */
function translate(key: string): string {
  return String(i18n.t(key as never))
}

/** A protocol word in the reader's language; a word we do not know yet is shown as it is. */
export function word(catalogue: Catalogue, value: string): string {
  const key = `${catalogue}.${value}`
  return i18n.exists(key) ? translate(key) : value.replaceAll('_', ' ')
}

/** Why an operation, or one action of it ("rebuild", "start"), is not possible now. */
export function blockedText(
  blocked: Record<string, Reason>,
  operation: string,
  action?: string,
): string | undefined {
  const reason = (action && blocked[`${operation}_${action}`]) || blocked[operation]
  return reason && refusalText(reason)
}
