import { addTexts } from '@/lib/i18n'
import * as undo from '@/locales/en/undo'

addTexts(undo)
