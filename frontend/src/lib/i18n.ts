import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from '@/locales/en'
import type * as access from '@/locales/en/access'
import type * as cache from '@/locales/en/cache'
import type * as demo from '@/locales/en/demo'
import type * as drives from '@/locales/en/drives'
import type * as foreign from '@/locales/en/foreign'
import type * as lab from '@/locales/en/lab'
import type * as patrol from '@/locales/en/patrol'
import type * as storage from '@/locales/en/storage'
import type * as storageLists from '@/locales/en/storage-lists'
import type * as stripes from '@/locales/en/stripes'
import type * as undo from '@/locales/en/undo'
import type * as wizard from '@/locales/en/wizard'
import type { Language } from './language'
import { setReader } from './reader'

type Later = typeof access &
  typeof cache &
  typeof demo &
  typeof drives &
  typeof foreign &
  typeof lab &
  typeof patrol &
  typeof storage &
  typeof storageLists &
  typeof stripes &
  typeof undo &
  typeof wizard

type Texts = typeof en & Later

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: Texts }
    returnNull: false
  }
}

export const i18n = i18next.createInstance()

void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  initAsync: false,
  interpolation: { escapeValue: false },
  returnNull: false,
})

/** Before anything is drawn. English is in the page; any other language is fetched as a whole. */
export async function startLanguage(language: Language) {
  if (language === 'de') {
    const { de, protocol, readInner } = await import('@/locales/de')
    i18n.addResourceBundle('de', 'translation', { ...de, ...protocol })
    setReader(readInner)
  } else {
    setReader()
  }
  await i18n.changeLanguage(language)
  document.documentElement.lang = language
}

/** Of locales/later: they come with the pages they are for; the first page does not wait for them. */
export function addTexts(texts: Partial<Later>) {
  i18n.addResourceBundle('en', 'translation', texts, true)
}
