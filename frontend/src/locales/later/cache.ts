import { addTexts } from '@/lib/i18n'
import * as cache from '@/locales/en/cache'

addTexts(cache)
