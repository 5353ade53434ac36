import type * as en from '../en/foreign'
import type { Same } from './same'

export const foreign: Same<typeof en> = {
  foreign: {
    title: 'Fremdkonfigurationen von {{path}}',
    intro:
      'Laufwerkssätze, die ein anderer Controller oder Linux angelegt hat. Auf sie wird nichts geschrieben, bis Sie entscheiden; diese Seite zeigt, was ein Import daraus machen würde.',
    scan: 'Erneut suchen',
    none: 'Keine Fremdkonfigurationen',
    noneText: 'Kein Laufwerk dieses Controllers trägt einen fremden Satz.',
    oldAgent: 'Dieser Agent zeigt fremde Sätze nur an; ein neuerer importiert sie.',
    set: 'Satz {{name}}',
    origin: 'Angelegt von',
    format: 'Format',
    formatValue: '{{format}} {{version}}',
    sequence: 'Folgenummer',
    identity: 'Identität',
    volumes: 'Virtuelle Laufwerke von {{name}}',
    drives: 'Laufwerke von {{name}}',
    columns: {
      name: 'Virtuelles Laufwerk',
      level: 'Level',
      size: 'Größe',
      state: 'Jetzt',
      outcome: 'Nach einem Import',
      importedAs: 'Name hier',
      drive: 'Laufwerk',
      serial: 'Seriennummer',
      says: 'Eigene Angabe',
      driveOutcome: 'Was ein Import daraus macht',
      why: 'Grund',
    },
    outOfStep: '{{state}}, Redundanz nicht im Gleichstand',
    missing: 'Nicht da',
    import: 'Importieren …',
    importNamed: '{{name}} importieren',
    importText: {
      optimal:
        'Der Satz wird eine Laufwerksgruppe dieses Controllers, mit allen virtuellen Laufwerken und Daten.',
      resync:
        'Der Satz wird mit seinen Daten eine Laufwerksgruppe dieses Controllers; die Redundanz wird danach resynchronisiert.',
      degraded:
        'Der Satz wird mit seinen Daten eine Laufwerksgruppe dieses Controllers, aber ohne volle Redundanz.',
    },
    importLeft_one:
      'Eines der Laufwerke bleibt, wie es ist: Darauf wird nichts geschrieben. Verwerfen Sie seinen Satz danach, um es zu benutzen.',
    importLeft_other:
      '{{count}} der Laufwerke bleiben, wie sie sind: Darauf wird nichts geschrieben. Verwerfen Sie ihre Sätze danach, um sie zu benutzen.',
    importRenamed: '{{from}} heißt hier {{to}}.',
    importAll: 'Alle importieren …',
    importAllTitle_one: '{{count}} Satz importieren',
    importAllTitle_other: '{{count}} Sätze importieren',
    importAllText:
      'Einer nach dem anderen: {{names}}. Beim ersten, der abgelehnt wird, ist Schluss.',
    importAllNone: 'Keiner der Sätze lässt sich importieren; jeder nennt den Grund.',
    imported: '{{names}} importiert.',
    clear: 'Verwerfen …',
    clearNamed: '{{name}} verwerfen',
    clearLabel: 'Name des Satzes',
    clearConsequences: {
      drives_one:
        'Sein Laufwerk wird für andere Zwecke frei; der Satz ist darauf nicht mehr zu finden.',
      drives_other:
        'Seine {{count}} Laufwerke werden für andere Zwecke frei; der Satz ist darauf nicht mehr zu finden.',
      data: 'Nur die Metadaten werden entfernt; Daten werden nicht überschrieben.',
      undo: 'Die Metadaten werden vorher gesichert: Der Satz lässt sich mindestens sieben Tage lang wiederherstellen, solange niemand seine Laufwerke benutzt oder beschreibt.',
    },
    cleared: '{{name}} verworfen.',
    damaged: 'Laufwerke mit beschädigten Metadaten',
    damagedText:
      'Ihren Angaben ist nicht zu trauen. Sie lassen sich einzeln auf ihren eigenen Seiten freigeben.',
  },
  foreignFormat: { ddf: 'DDF', md: 'Linux md', arraywright: 'Arraywright' },
  foreignState: {
    optimal: 'Optimal',
    degraded: 'Degradiert',
    incomplete: 'Unvollständig',
    unsupported: 'Hier nicht lauffähig',
    damaged: 'Beschädigt',
  },
  foreignMemberState: {
    online: 'Online',
    rebuild: 'Im Rebuild',
    failed: 'Ausgefallen',
    offline: 'Offline',
    stale: 'Veraltet',
    missing: 'Fehlt',
    duplicate: 'Eine Kopie',
    spare: 'Hot-Spare',
  },
  foreignOutcome: {
    optimal: 'Optimal',
    resync: 'Wird resynchronisiert',
    degraded: 'Degradiert',
    refused: 'Wird nicht importiert',
  },
  foreignDriveOutcome: {
    member: 'Mitglied, synchron',
    rebuild: 'Mitglied, mit Rebuild',
    spare: 'Wieder Hot-Spare',
    left: 'Bleibt, wie es ist',
    missing: 'Fehlt',
  },
}
