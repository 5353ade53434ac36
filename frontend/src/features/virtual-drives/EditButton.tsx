import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { VirtualDrive } from '@/api/types'
import { blockedText } from '@/entities/states/words'
import { ActionButton } from '@/ui/ActionButton'
import { EditDialog } from './EditDialog'

/** Name, access and policies: what is changed most, at hand on every tab. */
export function EditButton({ virtualDrive }: { virtualDrive: VirtualDrive }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton
        variant="default"
        blockedReason={blockedText(virtualDrive.blocked, 'vd_set')}
        onClick={() => setOpen(true)}
      >
        {t('vd.edit')}
      </ActionButton>
      {isOpen && <EditDialog virtualDrive={virtualDrive} onClose={() => setOpen(false)} />}
    </>
  )
}
