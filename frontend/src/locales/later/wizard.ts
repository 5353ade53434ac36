import { addTexts } from '@/lib/i18n'
import * as wizard from '@/locales/en/wizard'

addTexts(wizard)
