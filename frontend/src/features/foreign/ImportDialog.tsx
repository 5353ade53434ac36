import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { importForeign } from '@/api/foreign'
import type { Command, Controller, ForeignConfiguration } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { finishCommand } from '@/entities/commands/follow'
import { useChange } from '@/entities/commands/use-change'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { nameOf } from './sets'

interface ImportDialogProps {
  controller: Controller
  sets: ForeignConfiguration[]
  onClose: () => void
}

/** One after the other; the first that is refused ends it. The last command is the caller's. */
async function importAll(
  client: QueryClient,
  controller: Controller,
  [first, ...others]: ForeignConfiguration[],
): Promise<Command> {
  if (!first) throw new Error('no set was chosen')
  let command = await importForeign(controller, first)
  for (const set of others) {
    await finishCommand(client, command)
    command = await importForeign(controller, set)
  }
  return command
}

function becomes({ outcome }: ForeignConfiguration): string {
  return outcome && outcome !== 'refused' ? i18n.t(`foreign.importText.${outcome}`) : ''
}

/** What is not as it was with its former owner. */
function consequencesOf(set: ForeignConfiguration): string[] {
  const lines: string[] = []
  for (const { name, imported_as } of set.virtual_drives) {
    if (imported_as && imported_as !== name) {
      lines.push(i18n.t('foreign.importRenamed', { from: name, to: imported_as }))
    }
  }
  // The agent says what becomes of a set that Linux itself has made and runs.
  if (set.format === 'md') {
    for (const { reason } of set.virtual_drives) {
      if (reason) lines.push(reasonText(reason))
    }
  }
  const left = set.drives.filter((drive) => drive.outcome === 'left').length
  if (left > 0) lines.push(i18n.t('foreign.importLeft', { count: left }))
  return lines
}

export function ImportDialog({ controller, sets, onClose }: ImportDialogProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const names = sets.map(nameOf).join(', ')
  const [only] = sets.length === 1 ? sets : []
  const title = only
    ? t('foreign.importNamed', { name: nameOf(only) })
    : t('foreign.importAllTitle', { count: sets.length })
  const change = useChange(() => importAll(client, controller, sets), {
    done: t('foreign.imported', { names }),
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      opened
      title={title}
      verb={title}
      grade={{ kind: 'plain' }}
      consequences={only ? consequencesOf(only) : []}
      pending={change.isPending}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <p>{only ? becomes(only) : t('foreign.importAllText', { names })}</p>
    </ConfirmDialog>
  )
}
