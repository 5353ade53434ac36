import { useTranslation } from 'react-i18next'
import type { Controller, SavedConfiguration } from '@/api/types'
import { restoreUndo } from '@/api/undo'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { ConfirmDialog } from '@/ui/ConfirmDialog'

interface RestoreDialogProps {
  controller: Controller
  saved: SavedConfiguration
  onClose: () => void
}

export function RestoreDialog({ controller, saved, onClose }: RestoreDialogProps) {
  const { t } = useTranslation()
  const title = t('undo.restore', { name: saved.name })
  const change = useChange(() => restoreUndo(controller, saved), {
    done: t('undo.restored', { name: saved.name }),
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      opened
      title={title}
      verb={title}
      grade={{ kind: 'plain' }}
      pending={change.isPending}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <p>{saved.kind && t(`undo.restoreText.${saved.kind}`)}</p>
    </ConfirmDialog>
  )
}
