import type * as en from '../en/demo'
import type { Same } from './same'

export const demo: Same<typeof en> = {
  demo: {
    title: 'Demo: ein Stripe über zwei Controller',
    intro:
      'Legt auf den freien Laufwerken jedes Controllers ein RAID 0 an und darüber einen Stripe, mit denselben Befehlen, die Sie selbst geben würden.',
    steps: {
      first: 'RAID 0 {{name}} auf den freien Laufwerken von {{controller}}',
      second: 'RAID 0 {{name}} auf den freien Laufwerken von {{controller}}',
      stripe: 'Stripe {{name}} über beide',
    },
    state: { open: 'Nicht angelegt', running: 'Wird angelegt …', done: 'Angelegt' },
    openResult: '{{name}} öffnen',
    build: 'Alles anlegen',
    goOn: 'Den Rest anlegen',
    built: 'Der Stripe über beide Controller ist angelegt.',
    remove: 'Wieder entfernen …',
    removeTitle: 'Stripe der Demo entfernen',
    removeVerb: 'Alles entfernen',
    removeField: 'Name des Stripes',
    removeData: 'Alle Daten auf {{names}} gehen endgültig verloren.',
    removeDrives: 'Ihre Laufwerke sind danach unkonfiguriert (gut).',
    removed: 'Stripe und virtuelle Laufwerke der Demo sind entfernt.',
    noDrives: '{{controller}} hat kein freies Laufwerk.',
  },
}
