export const undo = {
  title: 'Deleted on {{path}}',
  intro:
    'What was deleted can be brought back while its drives are free and nobody has written to them. What is needed for it is kept for seven days at least.',
  none: 'Nothing was deleted',
  noneText: 'What is deleted on this controller can be restored from here.',
  list: 'What was deleted',
  columns: {
    name: 'Name',
    kind: 'What it was',
    savedAt: 'Deleted',
    who: 'By',
    until: 'Kept until',
    drives: 'Drives',
    state: 'Can be restored',
    action: 'Action',
  },
  possible: 'Yes',
  driveRefused: '{{drive}}: {{why}}',
  restore: 'Restore {{name}}',
  restoreOpen: 'Restore {{name}} …',
  restoreText: {
    drive_group:
      'The drive group and its virtual drive come back as they were, with name, policies and data. The host looks first whether anybody has written to the drives.',
    virtual_drive:
      'It comes back in its drive group as it was, with name, policies and data, at the place on the drives that nobody has used since.',
    foreign_set: 'The foreign set comes back on its drives, byte for byte.',
    damaged: 'It cannot be read, and not be restored.',
  },
  restored: '{{name}} restored.',
} as const

export const undoKind = {
  drive_group: 'Virtual drive and its drive group',
  virtual_drive: 'Virtual drive',
  foreign_set: 'Foreign set',
  damaged: 'Not known: it cannot be read',
} as const
