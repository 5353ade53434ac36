import { addTexts } from '@/lib/i18n'
import * as storageLists from '@/locales/en/storage-lists'

addTexts(storageLists)
