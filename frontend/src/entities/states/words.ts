import type { Reason } from '@/api/types'
import { formatDateTime } from '@/lib/format'
import { i18n } from '@/lib/i18n'

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
function translate(key: string, params: Record<string, string> = {}): string {
  return String(i18n.t(key as never, params as never))
}

/** A protocol word in the reader's language; a word we do not know yet is shown as it is. */
export function word(catalogue: Catalogue, value: string): string {
  const key = `${catalogue}.${value}`
  return i18n.exists(key) ? translate(key) : value.replaceAll('_', ' ')
}

/** Times inside a sentence, as servers write them. */
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g

/** A reason by its code where this language has it, otherwise the sentence that came with it. */
export function reasonText(reason: Reason): string {
  const key = `reason.${reason.code}`
  const text = i18n.exists(key) ? translate(key, reason.params) : reason.text
  return text.replace(ISO_TIME, (time) => formatDateTime(time))
}

/** Why an operation, or one action of it ("rebuild", "start"), is not possible now. */
export function blockedText(
  blocked: Record<string, Reason>,
  operation: string,
  action?: string,
): string | undefined {
  const reason = (action && blocked[`${operation}_${action}`]) || blocked[operation]
  return reason && reasonText(reason)
}
