import type * as en from '../en/patrol'
import type { Same } from './same'

export const patrol: Same<typeof en> = {
  patrol: {
    title: 'Patrol Read',
    intro:
      'Jedes Mitglied und jedes Hot-Spare wird im Hintergrund vollständig gelesen, damit ein Medienfehler auffällt, solange der Rest seiner Zeile ihn noch korrigieren kann. Verglichen wird nichts: Das ist keine Konsistenzprüfung.',
    state: 'Zustand',
    idle: 'Läuft nicht',
    left: 'noch {{time}}',
    drives: 'Laufwerke',
    drivesValue: '{{done}} von {{total}} sind gelesen',
    errors: 'Gefundene Medienfehler',
    iterations: 'Vollständige Durchgänge',
    last: 'Letzter vollständiger',
    never: 'noch keiner',
    next: 'Nächster Beginn',
    nextNone: 'nicht geplant',
    begins: 'Beginnt',
    beginsAuto_one: 'automatisch, {{count}} Stunde nach dem letzten',
    beginsAuto_other: 'automatisch, {{count}} Stunden nach dem letzten',
    beginsAtOnce: 'automatisch, sobald der letzte vollständig ist',
    beginsManual: 'wenn er hier oder auf dem Host gestartet wird',
    beginsNever: 'nie: Er ist abgeschaltet',
    ssds: 'SSDs',
    ssdsYes: 'werden ebenfalls gelesen',
    ssdsNo: 'werden ausgelassen: Ihre eigenen Controller kümmern sich um den Flash-Speicher',
    start: {
      verb: 'Starten',
      label: 'Patrol Read von {{path}} starten',
      done: 'Der Patrol Read beginnt.',
    },
    pause: {
      verb: 'Anhalten',
      label: 'Patrol Read von {{path}} anhalten',
      done: 'Der Patrol Read ist angehalten.',
    },
    resume: {
      verb: 'Fortsetzen',
      label: 'Patrol Read von {{path}} fortsetzen',
      done: 'Der Patrol Read läuft weiter.',
    },
    stop: {
      verb: 'Stoppen',
      label: 'Patrol Read von {{path}} stoppen',
      done: 'Der Patrol Read ist gestoppt.',
    },
    settings: {
      rate: 'Rate des Patrol Reads',
      delay: 'Stunden zwischen zwei Durchgängen',
      delayHelp: 'Vom Ende des einen bis zum Beginn des nächsten. 0: ohne Pause.',
      delayRange: 'Von 0 bis 8760 Stunden.',
      drives: 'Laufwerke gleichzeitig',
      drivesRange: 'Von 1 bis 255.',
      next: 'Nächster Beginn',
      nextHelp: 'Einmalig; danach jeweils so viele Stunden nach dem letzten wie oben angegeben.',
      nextPast: 'Das liegt in der Vergangenheit.',
      ssds: 'SSDs werden ebenfalls gelesen',
    },
  },
  patrolMode: {
    auto: 'Automatisch, immer wieder',
    manual: 'Nur auf Befehl',
    disabled: 'Abgeschaltet',
  },
}
