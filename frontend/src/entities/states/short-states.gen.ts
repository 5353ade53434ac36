// What the command line calls the states of drives and virtual drives. Generated from
// agent/protocol/words.json by backend/tools/generate_short_states.py; do not edit.

export const SHORT_STATES = {
  UGood: 'driveState.unconfigured_good',
  UBad: 'driveState.unconfigured_bad',
  GHS: 'driveState.hot_spare',
  DHS: 'driveState.dedicated_hot_spare',
  Offln: 'driveState.offline',
  Failed: 'driveState.failed',
  Rbld: 'driveState.rebuild',
  Onln: 'driveState.online',
  Cpybck: 'driveState.copyback',
  Missing: 'driveState.missing',
  JBOD: 'driveState.jbod',
  Starting: 'driveState.starting',
  Optl: 'virtualDriveState.optimal',
  Pdgd: 'virtualDriveState.partially_degraded',
  Dgrd: 'virtualDriveState.degraded',
  OfLn: 'virtualDriveState.offline',
} as const
