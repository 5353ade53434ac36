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
import { shell } from './shell'
import { states } from './states'
import { storage } from './storage'
import { storageLists } from './storage-lists'
import { stripes } from './stripes'
import { undo } from './undo'
import { wizard } from './wizard'

export { inner, protocol } from './protocol.gen'

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
