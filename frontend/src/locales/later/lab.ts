import { addTexts } from '@/lib/i18n'
import * as lab from '@/locales/en/lab'

addTexts(lab)
