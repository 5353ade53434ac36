import { addTexts } from '@/lib/i18n'
import * as access from '@/locales/en/access'

addTexts(access)
