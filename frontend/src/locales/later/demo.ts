import { addTexts } from '@/lib/i18n'
import * as demo from '@/locales/en/demo'

addTexts(demo)
