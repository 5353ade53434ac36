export const driveState = {
  unconfigured_good: 'Unconfigured good',
  unconfigured_bad: 'Unconfigured bad',
  hot_spare: 'Hot spare',
  dedicated_hot_spare: 'Dedicated spare',
  offline: 'Offline',
  failed: 'Failed',
  rebuild: 'Rebuilding',
  copyback: 'Copyback',
  online: 'Online',
  missing: 'Missing',
  jbod: 'JBOD',
  starting: 'Starting',
} as const

/** The short words of the controllers' own tools, for the narrow bay. */
export const driveStateBay = {
  unconfigured_good: 'Good',
  unconfigured_bad: 'Bad',
  hot_spare: 'Spare',
  dedicated_hot_spare: 'Spare',
  offline: 'Offline',
  failed: 'Failed',
  rebuild: 'Rebuild',
  copyback: 'Copyback',
  online: 'Online',
  missing: 'Missing',
  jbod: 'JBOD',
  starting: 'Starting',
} as const

export const driveStateHelp = {
  unconfigured_good: 'Healthy and in no drive group: free to be used.',
  unconfigured_bad: 'In no drive group and not to be trusted: it failed, or could not be prepared.',
  hot_spare:
    'Waits to take the place of a failed member in any drive group it is large enough for.',
  dedicated_hot_spare:
    'Waits to take the place of a failed member in the drive groups it is assigned to.',
  offline: 'Still a member, but its data are out of date and not used.',
  failed: 'Was in use and failed; its data are not used any more.',
  rebuild: 'Its data are being restored from the other members.',
  copyback: 'Is being filled from a member, which stays in use, and then takes its place.',
  online: 'A member in sync: its data are current and in use.',
  missing: 'Belongs to a drive group, but is not there.',
  jbod: 'Left to the operating system of its host as it is; not used here.',
  starting:
    'The agent has just started and does not know yet what the drive holds, or waits for another process to release it.',
} as const

export const virtualDriveState = {
  optimal: 'Optimal',
  partially_degraded: 'Partially degraded',
  degraded: 'Degraded',
  offline: 'Offline',
  starting: 'Starting',
} as const

export const virtualDriveStateHelp = {
  optimal: 'All members are online.',
  partially_degraded: 'A member is lost, but another loss would still be survived.',
  degraded: 'No redundancy is left in at least one place: one more loss there loses the data.',
  offline:
    'More members are lost than the level can bear. Nothing is read or written until they return.',
  starting:
    'The agent has just started and waits for drives of this virtual drive. Clients wait with it.',
} as const

export const controllerStatus = {
  optimal: 'Optimal',
  needs_attention: 'Needs attention',
  degraded: 'Degraded',
  failed: 'Failed',
  starting: 'Starting',
} as const

export const raidLevel = {
  raid0: 'RAID 0',
  raid1: 'RAID 1',
  raid5: 'RAID 5',
  raid6: 'RAID 6',
  raid10: 'RAID 10',
  raid50: 'RAID 50',
  raid60: 'RAID 60',
  raid1e: 'RAID 1E',
} as const

export const operationKind = {
  rebuild: 'Rebuild',
  copyback: 'Copyback',
  background_init: 'Background initialization',
  resync: 'Resynchronization',
  drive_erase: 'Erase',
  patrol_read: 'Patrol read',
  consistency_check: 'Consistency check',
} as const

export const operationState = {
  running: 'Running',
  paused: 'Paused',
  waiting: 'Waiting',
  completed: 'Completed',
  failed: 'Failed',
  stopped: 'Stopped',
} as const

export const severity = {
  debug: 'Debug',
  progress: 'Progress',
  info: 'Information',
  warning: 'Warning',
  critical: 'Critical',
  fatal: 'Fatal',
} as const

export const policyWord = {
  write_through: 'Write-through',
  write_back: 'Write-back',
  always_write_back: 'Always write-back',
  no_read_ahead: 'No read-ahead',
  read_ahead: 'Read-ahead',
  adaptive_read_ahead: 'Adaptive read-ahead',
  direct: 'Direct',
  cached: 'Cached',
  default: 'As the drive has it',
  auto: 'Automatic',
  keep: 'As before',
  unknown: 'Not known',
  on: 'On',
  off: 'Off',
  read_write: 'Read and write',
  read_only: 'Read only',
  blocked: 'Blocked',
  mixed: 'On in some drives, off in others',
} as const

/** Names of presets, as the profiles of controllers have them. */
export const presetName = {
  'maximum-performance': 'Maximum performance',
  safest: 'Safest',
  'storsave-protection': 'StorSave: Protection',
  'storsave-balance': 'StorSave: Balance',
  'storsave-performance': 'StorSave: Performance',
} as const

/** Vendors' own words, by the vocabulary of a controller's profile. */
export const vocabulary = {
  threeware: {
    virtualDrive: 'unit u{{index}}',
    all: '3ware: a virtual drive is a unit (u0), a drive a port (p0), background initialization INITIALIZING, a RAID level "RAID-5", the presets StorSave profiles. tw_cli takes these words.',
  },
} as const

export const media = { hdd: 'Hard disk', ssd: 'SSD' } as const

export const objectKind = {
  host: 'Host',
  controller: 'Controller',
  enclosure: 'Enclosure',
  drive: 'Drive',
  drive_group: 'Drive group',
  virtual_drive: 'Virtual drive',
  battery: 'Battery',
  operation: 'Operation',
} as const

export const role = {
  viewer: 'Viewer',
  operator: 'Operator',
  administrator: 'Administrator',
} as const

export const roleHelp = {
  viewer: 'Sees everything, changes nothing.',
  operator: 'Also creates, repairs and deletes storage, and acknowledges alerts.',
  administrator: 'Also adds hosts and manages users and tokens.',
} as const

export const commandState = {
  queued: 'Waiting for the host',
  offered: 'Sent to the host',
  accepted: 'Accepted',
  running: 'Running',
  succeeded: 'Done',
  failed: 'Failed',
  refused: 'Refused',
  expired: 'Expired',
  indeterminate: 'Outcome unknown',
} as const

export const batteryState = {
  optimal: 'Ready',
  charging: 'Charging',
  discharging: 'Discharging',
  learning: 'Learn cycle',
  low: 'Charge too low',
  degraded: 'Needs attention',
  failed: 'Failed',
  missing: 'Missing',
  unknown: 'Not known',
} as const

export const batteryKind = {
  emulated: 'Emulated battery',
  ups: 'UPS',
  cachevault: 'CacheVault: the cache medium itself',
} as const

export const batteryFault = {
  fail: 'Failed',
  remove: 'Taken out',
  low_charge: 'Charge too low',
  overheat: 'Too warm',
  wear_out: 'Worn out',
  power_off: 'Mains power off',
} as const

export const learnMode = {
  auto: 'Automatic, on the scheduled date',
  warn: 'Remind me on the scheduled date',
  manual: 'Only when started by hand',
  disabled: 'Never',
} as const

export const learnState = {
  idle: 'None is running',
  announced: 'Begins soon',
  due: 'Due: start it by hand',
  pending: 'Waits until the battery is charged',
  charging: 'Charging fully before it begins',
  discharging: 'Discharging to measure the capacity',
  recharging: 'Charging again',
} as const

export const learnResult = {
  passed: 'Passed',
  failed: 'Failed',
  timed_out: 'Took too long',
} as const

export const cacheState = {
  ready: 'Ready',
  recovering: 'Recovering',
  draining: 'Being emptied',
  suspended: 'Suspended',
  failed: 'Failed',
  missing: 'Missing',
} as const

export const cacheMedium = {
  shared_memory: 'Shared memory',
  persistent_memory: 'Persistent memory',
  file_log: 'Log on a file or NVMe drive',
} as const

export const readAheadState = {
  off: 'Off at the moment.',
  watching: 'Watching; no sequential reader now.',
  reading: 'Reading ahead now.',
} as const

export const metric = {
  charge_percent: 'Charge',
  temperature_c: 'Temperature',
  voltage_mv: 'Voltage',
  full_capacity_mah: 'Capacity when full',
  left_s: 'Time left at this charge',
  used_bytes: 'Fill',
  dirty_bytes: 'Not yet on the drives',
  pinned_bytes: 'Preserved',
  read_hit_percent: 'Hit rate of reads',
  destage_bytes_per_s: 'Destage rate',
} as const

/** Why an action is not possible, said beside its object. */
export const refusal = {
  state: 'Not possible in the state “{{state}}”.',
  groupState: 'Not possible while its drive group is in the state “{{state}}”.',
  notFree:
    'Only possible with an unconfigured good drive, and this one is in the state “{{state}}”.',
  noRedundancy: 'Not needed: there is no redundancy to keep in step.',
} as const
