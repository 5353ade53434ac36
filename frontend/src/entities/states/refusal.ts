import type { Reason } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { SHORT_STATES } from './short-states.gen'

const isShort = (state: string | undefined): state is keyof typeof SHORT_STATES =>
  state !== undefined && Object.hasOwn(SHORT_STATES, state)

/**
 * Why something is not possible, beside the object it is about: without its path or identity, and
 * with the words that the page has for states.
 */
export function refusalText(reason: Reason): string {
  const { code, params } = reason
  if (code === 'no_redundancy') return i18n.t('refusal.noRedundancy')
  if (!isShort(params.state)) return reasonText(reason)
  const state = i18n.t(SHORT_STATES[params.state])
  if (code === 'drive_not_ugood') return i18n.t('refusal.notFree', { state })
  if (code !== 'wrong_state') return reasonText(reason)
  const isOfGroup = /\/d\d+$/.test(params.key ?? '')
  return i18n.t(isOfGroup ? 'refusal.groupState' : 'refusal.state', { state })
}
