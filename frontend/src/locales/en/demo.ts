export const demo = {
  title: 'Demo: one stripe over two controllers',
  intro:
    'Builds a RAID 0 over the free drives of each controller and a stripe over both, by the same commands as you would give yourself.',
  steps: {
    first: 'RAID 0 {{name}} over the free drives of {{controller}}',
    second: 'RAID 0 {{name}} over the free drives of {{controller}}',
    stripe: 'Stripe {{name}} over both',
  },
  state: { open: 'Not built', running: 'Being built …', done: 'Built' },
  openResult: 'Open {{name}}',
  build: 'Build all of it',
  goOn: 'Build the rest',
  built: 'The stripe over both controllers is built.',
  remove: 'Remove it again …',
  removeTitle: 'Remove the demo’s stripe',
  removeVerb: 'Remove all of it',
  removeField: 'Name of the stripe',
  removeData: 'All data on {{names}} are lost for good.',
  removeDrives: 'Their drives become unconfigured good.',
  removed: 'Stripe and virtual drives of the demo are removed.',
  noDrives: '{{controller}} has no free drive.',
} as const
