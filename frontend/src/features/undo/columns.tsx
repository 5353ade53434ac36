import { Link } from '@tanstack/react-router'
import type { Controller, Drive, SavedConfiguration } from '@/api/types'
import { blockedText } from '@/entities/states/words'
import { formatDateTime } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import type { Column } from '@/ui/DataTable'
import classes from './Undo.module.css'

export function columns(
  controller: Controller,
  drives: Drive[],
  onRestore: (saved: SavedConfiguration) => void,
): Column<SavedConfiguration>[] {
  const pathOf = (id: string) => drives.find((drive) => drive.id === id)?.path
  const blocked = blockedText(controller.blocked, 'undo_restore')
  return [
    {
      id: 'name',
      header: i18n.t('undo.columns.name'),
      isRowHeader: true,
      cell: ({ name }) => name,
    },
    {
      id: 'kind',
      header: i18n.t('undo.columns.kind'),
      cell: ({ kind }) => (kind ? i18n.t(`undoKind.${kind}`) : ''),
    },
    {
      id: 'savedAt',
      header: i18n.t('undo.columns.savedAt'),
      cell: ({ kind, saved_at }) => (kind === 'damaged' ? '' : formatDateTime(saved_at)),
    },
    { id: 'who', header: i18n.t('undo.columns.who'), cell: ({ who }) => who },
    {
      id: 'until',
      header: i18n.t('undo.columns.until'),
      cell: ({ until }) => formatDateTime(until),
    },
    {
      id: 'drives',
      header: i18n.t('undo.columns.drives'),
      cell: (saved) => (
        <div>
          {saved.drives.map(({ drive_id, serial, refusal }) => (
            <div key={drive_id} className={classes.drive}>
              <Link to="/drives/$driveId" params={{ driveId: drive_id }}>
                {pathOf(drive_id) ?? serial}
              </Link>
              {refusal && ` ${reasonText(refusal)}`}
            </div>
          ))}
        </div>
      ),
    },
    {
      id: 'state',
      header: i18n.t('undo.columns.state'),
      grow: true,
      cell: ({ refusal }) => (refusal ? reasonText(refusal) : i18n.t('undo.possible')),
    },
    {
      id: 'action',
      header: i18n.t('undo.columns.action'),
      cell: (saved) => (
        <ActionButton
          variant="default"
          size="compact-sm"
          blockedReason={blocked ?? (saved.refusal ? reasonText(saved.refusal) : undefined)}
          onClick={() => onRestore(saved)}
        >
          {i18n.t('undo.restore', { name: saved.name })}
        </ActionButton>
      ),
    },
  ]
}
