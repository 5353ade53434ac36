import { useTranslation } from 'react-i18next'
import { clearForeign } from '@/api/foreign'
import type { Controller, ForeignConfiguration } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { nameOf } from './sets'

interface ClearDialogProps {
  controller: Controller
  set: ForeignConfiguration
  onClose: () => void
}

export function ClearDialog({ controller, set, onClose }: ClearDialogProps) {
  const { t } = useTranslation()
  const name = nameOf(set)
  const change = useChange((typed: string) => clearForeign(controller, set, typed), {
    done: t('foreign.cleared', { name }),
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      opened
      title={t('foreign.clearNamed', { name })}
      verb={t('foreign.clearNamed', { name })}
      grade={{ kind: 'typed', expected: name, label: t('foreign.clearLabel') }}
      consequences={[
        t('foreign.clearConsequences.drives', { count: set.drive_ids.length }),
        t('foreign.clearConsequences.data'),
        t('foreign.clearConsequences.undo'),
      ]}
      pending={change.isPending}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={(typed) => change.mutate(typed)}
      onClose={onClose}
    />
  )
}
