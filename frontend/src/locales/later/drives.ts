import { addTexts } from '@/lib/i18n'
import * as drives from '@/locales/en/drives'

addTexts(drives)
