import { addTexts } from '@/lib/i18n'
import * as patrol from '@/locales/en/patrol'

addTexts(patrol)
