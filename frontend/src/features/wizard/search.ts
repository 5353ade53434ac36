import { readText, readWord } from '@/lib/search'

export interface WizardSearch {
  mode?: 'advanced'
  /** Create in the free space of this drive group. */
  group?: string
}

export function readWizardSearch(search: Record<string, unknown>): WizardSearch {
  return { mode: readWord(search.mode, ['advanced']), group: readText(search.group, 36) }
}
