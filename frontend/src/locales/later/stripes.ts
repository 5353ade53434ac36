import { addTexts } from '@/lib/i18n'
import * as stripes from '@/locales/en/stripes'

addTexts(stripes)
