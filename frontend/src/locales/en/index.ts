import * as access from './access'
import * as activity from './activity'
import * as cache from './cache'
import * as common from './common'
import * as drives from './drives'
import * as fleet from './fleet'
import * as hosts from './hosts'
import * as lab from './lab'
import * as shell from './shell'
import * as states from './states'
import * as storage from './storage'
import * as wizard from './wizard'

export const en = {
  ...access,
  ...activity,
  ...cache,
  ...common,
  ...drives,
  ...fleet,
  ...hosts,
  ...lab,
  ...shell,
  ...states,
  ...storage,
  ...wizard,
}
