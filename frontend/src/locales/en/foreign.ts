export const foreign = {
  title: 'Foreign configurations of {{path}}',
  intro:
    'Sets of drives that were made by another controller or by Linux. Nothing is written to them until you decide; this page shows what an import would make of them.',
  scan: 'Scan again',
  none: 'No foreign configurations',
  noneText: 'No drive of this controller carries a set of somebody else.',
  oldAgent: 'This agent only shows foreign sets; a newer one imports them.',
  set: 'Set {{name}}',
  origin: 'Made by',
  format: 'Format',
  formatValue: '{{format}} {{version}}',
  sequence: 'Sequence number',
  identity: 'Identity',
  volumes: 'Virtual drives of {{name}}',
  drives: 'Drives of {{name}}',
  columns: {
    name: 'Virtual drive',
    level: 'Level',
    size: 'Size',
    state: 'As it is',
    outcome: 'After an import',
    importedAs: 'Name here',
    drive: 'Drive',
    serial: 'Serial number',
    says: 'What it says',
    driveOutcome: 'What an import makes of it',
    why: 'Why',
  },
  outOfStep: '{{state}}, redundancy out of step',
  missing: 'Not there',
  import: 'Import …',
  importNamed: 'Import {{name}}',
  importText: {
    optimal: 'It becomes a drive group of this controller, with all its virtual drives and data.',
    resync:
      'It becomes a drive group of this controller with its data; redundancy is resynchronized afterwards.',
    degraded:
      'It becomes a drive group of this controller with its data, but without full redundancy.',
  },
  importLeft_one:
    'One of its drives is left as it is: nothing is written to it. Clear it afterwards to use it.',
  importLeft_other:
    '{{count}} of its drives are left as they are: nothing is written to them. Clear them afterwards to use them.',
  importRenamed: '{{from}} is called {{to}} here.',
  importAll: 'Import all …',
  importAllTitle_one: 'Import {{count}} set',
  importAllTitle_other: 'Import {{count}} sets',
  importAllText: 'One after the other: {{names}}. It ends with the first one that is refused.',
  importAllNone: 'None of the sets can be imported; each says why.',
  imported: '{{names}} imported.',
  clear: 'Clear …',
  clearNamed: 'Clear {{name}}',
  clearLabel: 'Name of the set',
  clearConsequences: {
    drives_one: 'Its drive becomes free for other use; the set is not found on it any more.',
    drives_other:
      'Its {{count}} drives become free for other use; the set is not found on them any more.',
    data: 'Only its metadata are taken off; no data are written over.',
    undo: 'They are saved before: it can be restored for seven days at least, while nobody uses its drives or writes to them.',
  },
  cleared: '{{name}} cleared.',
  damaged: 'Drives with damaged metadata',
  damagedText:
    'Nothing of what they say can be believed. They can be cleared on their own pages, one by one.',
} as const

export const foreignFormat = {
  ddf: 'DDF',
  md: 'Linux md',
  arraywright: 'Arraywright',
} as const

export const foreignState = {
  optimal: 'Optimal',
  degraded: 'Degraded',
  incomplete: 'Incomplete',
  unsupported: 'Cannot be run here',
  damaged: 'Damaged',
} as const

export const foreignMemberState = {
  online: 'Online',
  rebuild: 'Rebuilding',
  failed: 'Failed',
  offline: 'Offline',
  stale: 'Out of date',
  missing: 'Missing',
  duplicate: 'A copy',
  spare: 'Hot spare',
} as const

export const foreignOutcome = {
  optimal: 'Optimal',
  resync: 'Resynchronized',
  degraded: 'Degraded',
  refused: 'Not imported',
} as const

export const foreignDriveOutcome = {
  member: 'Member, in sync',
  rebuild: 'Member, rebuilt',
  spare: 'Hot spare again',
  left: 'Left as it is',
  missing: 'Missing',
} as const
