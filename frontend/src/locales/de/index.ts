import { makeReader } from '@/lib/told-inner'
import { access } from './access'
import { activity } from './activity'
import { cache } from './cache'
import { common } from './common'
import { demo } from './demo'
import { drives } from './drives'
import { fleet } from './fleet'
import { foreign } from './foreign'
import { hosts } from './hosts'
import { lab } from './lab'
import { patrol } from './patrol'
import { inner, protocol } from './protocol.gen'
import { shell } from './shell'
import { states } from './states'
import { storage } from './storage'
import { storageLists } from './storage-lists'
import { stripes } from './stripes'
import { undo } from './undo'
import { wizard } from './wizard'

export { protocol }
export const readInner = makeReader(inner, protocol.reason)

export const de = {
  ...access,
  ...activity,
  ...cache,
  ...common,
  ...demo,
  ...drives,
  ...fleet,
  ...foreign,
  ...hosts,
  ...lab,
  ...patrol,
  ...shell,
  ...states,
  ...storage,
  ...storageLists,
  ...stripes,
  ...undo,
  ...wizard,
}
