import { useDebouncedValue } from '@mantine/hooks'

const TYPING_PAUSE_MS = 250

/** What to search for, once its writer pauses: each key would be a question of its own. */
export function useWords(q: string | undefined): string | null {
  const [words] = useDebouncedValue(q, TYPING_PAUSE_MS)
  return words?.trim() || null
}
