import * as activity from './activity'
import * as common from './common'
import * as fleet from './fleet'
import * as hosts from './hosts'
import * as shell from './shell'
import * as states from './states'

export const en = {
  ...activity,
  ...common,
  ...fleet,
  ...hosts,
  ...shell,
  ...states,
}
