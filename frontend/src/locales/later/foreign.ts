import { addTexts } from '@/lib/i18n'
import * as foreign from '@/locales/en/foreign'

addTexts(foreign)
