import { addTexts } from '@/lib/i18n'
import * as storage from '@/locales/en/storage'

addTexts(storage)
