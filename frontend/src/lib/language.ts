export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each in itself: whoever looks for it can read it. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch' }

const KEY = 'arraywright-language'

const known = (tag: string | null) =>
  LANGUAGES.find((language) => tag?.toLowerCase().split('-')[0] === language)

/** What was chosen here, or else the first of the browser's languages that there is. */
export function preferredLanguage(): Language {
  let chosen: string | null = null
  try {
    chosen = localStorage.getItem(KEY)
  } catch {
    // Storage is forbidden here: nothing can have been chosen.
  }
  return known(chosen) ?? navigator.languages.map(known).find(Boolean) ?? 'en'
}

/** Tables and their words are made once: another language begins with a fresh page. */
export function chooseLanguage(language: Language) {
  try {
    localStorage.setItem(KEY, language)
  } catch {
    return
  }
  location.reload()
}
