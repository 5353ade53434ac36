import type { Controller } from '@/api/types'
import { i18n } from '@/lib/i18n'

type Spoken = Pick<Controller, 'vocabulary'> | undefined

/**
 * What the vendor of a controller's model calls things, beside our words for them. The profile says
 * whose words they are, the catalogue has them; MegaRAID's are ours, so it has none.
 */
function vendorWord(controller: Spoken, what: string, params: Record<string, string>) {
  const key = `vocabulary.${controller?.vocabulary ?? ''}.${what}`
  return i18n.exists(key) ? String(i18n.t(key as never, params as never)) : undefined
}

/** "unit u0"; undefined where the vendor says it as we do. */
export const vendorVirtualDrive = (controller: Spoken, index: number) =>
  vendorWord(controller, 'virtualDrive', { index: String(index) })

/** The vendor's words in one sentence, for the controller itself. */
export const vendorWords = (controller: Spoken) => vendorWord(controller, 'all', {})
