import '@/locales/later/undo'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { controllerQuery } from '@/api/controllers'
import type { SavedConfiguration } from '@/api/types'
import { undoQuery } from '@/api/undo'
import { blockedText } from '@/entities/states/words'
import { reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import { RestoreDialog } from './RestoreDialog'

interface RestoreDeletedProps {
  controllerId: string
  /** Whether something in the list is what was deleted; the newest that is counts. */
  isIt: (saved: SavedConfiguration) => boolean
}

/** Brings back what was deleted from a controller; or leads to the list, if it is not there. */
export function RestoreDeleted({ controllerId, isIt }: RestoreDeletedProps) {
  const { t } = useTranslation()
  const controller = useQuery(controllerQuery(controllerId)).data
  const saved = useQuery(undoQuery(controllerId)).data?.items.find(isIt)
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      {controller && saved && (
        <ActionButton
          leftSection={<RotateCcw size={16} aria-hidden />}
          blockedReason={
            blockedText(controller.blocked, 'undo_restore') ??
            (saved.refusal ? reasonText(saved.refusal) : undefined)
          }
          onClick={() => setAsked(true)}
        >
          {t('undo.restoreOpen', { name: saved.name })}
        </ActionButton>
      )}
      <Anchor
        renderRoot={(props) => (
          <Link to="/controllers/$controllerId/undo" params={{ controllerId }} {...props} />
        )}
      >
        {t('gone.recentlyDeleted')}
      </Anchor>
      {controller && saved && isAsked && (
        <RestoreDialog controller={controller} saved={saved} onClose={() => setAsked(false)} />
      )}
    </>
  )
}
