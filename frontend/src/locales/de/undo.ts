import type * as en from '../en/undo'
import type { Same } from './same'

export const undo: Same<typeof en> = {
  undo: {
    title: 'Gelöscht auf {{path}}',
    intro:
      'Gelöschtes lässt sich zurückholen, solange seine Laufwerke frei sind und niemand sie beschrieben hat. Was dazu nötig ist, wird mindestens sieben Tage lang aufbewahrt.',
    none: 'Nichts wurde gelöscht',
    noneText: 'Was auf diesem Controller gelöscht wird, lässt sich hier wiederherstellen.',
    list: 'Gelöschtes',
    columns: {
      name: 'Name',
      kind: 'Was es war',
      savedAt: 'Gelöscht',
      who: 'Von',
      until: 'Aufbewahrt bis',
      drives: 'Laufwerke',
      state: 'Wiederherstellbar',
      action: 'Aktion',
    },
    possible: 'Ja',
    driveRefused: '{{drive}}: {{why}}',
    restore: '{{name}} wiederherstellen',
    restoreOpen: '{{name}} wiederherstellen …',
    restoreText: {
      drive_group:
        'Die Laufwerksgruppe und ihr virtuelles Laufwerk kommen zurück, wie sie waren, mit Name, Richtlinien und Daten. Der Host prüft zuerst, ob jemand die Laufwerke beschrieben hat.',
      virtual_drive:
        'Es kommt in seiner Laufwerksgruppe zurück, wie es war, mit Name, Richtlinien und Daten, an der Stelle der Laufwerke, die seither niemand benutzt hat.',
      foreign_set: 'Der fremde Satz kommt Byte für Byte auf seine Laufwerke zurück.',
      damaged: 'Das Gesicherte ist nicht lesbar und lässt sich nicht wiederherstellen.',
    },
    restored: '{{name}} wiederhergestellt.',
  },
  undoKind: {
    drive_group: 'Virtuelles Laufwerk und seine Laufwerksgruppe',
    virtual_drive: 'Virtuelles Laufwerk',
    foreign_set: 'Fremder Satz',
    damaged: 'Nicht bekannt: nicht lesbar',
  },
}
