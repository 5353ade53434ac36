import { Checkbox, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { driveChanges } from '@/api/drives'
import type { Drive, EraseMode } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { DriveLine } from './DriveDialog'

const MODES: EraseMode[] = ['simple', 'normal', 'thorough', 'threepass']

/** The serial number is typed always; what belongs to somebody else takes a tick besides. */
export function EraseDialog({ drive, onClose }: { drive: Drive; onClose: () => void }) {
  const { t } = useTranslation()
  const [mode, setMode] = useState<EraseMode>('simple')
  const [force, setForce] = useState(false)
  const change = useChange((typed: string) => driveChanges.erase(drive, mode, force, typed), {
    done: t('driveAction.done.erase_start', { path: drive.path }),
    onDone: onClose,
  })

  return (
    <ConfirmDialog
      opened
      title={t('driveDialog.eraseTitle', { path: drive.path })}
      verb={t('driveDialog.eraseVerb')}
      grade={{ kind: 'typed', expected: drive.serial, label: t('driveDialog.serialLabel') }}
      consequences={[t('driveDialog.eraseLoss')]}
      options={
        <>
          <Radio.Group
            label={t('driveDialog.eraseMode')}
            value={mode}
            onChange={(value) => setMode(value as EraseMode)}
          >
            <Stack gap="xs" mt="xs">
              {MODES.map((each) => (
                <Radio key={each} value={each} label={t(`driveDialog.eraseModes.${each}`)} />
              ))}
            </Stack>
          </Radio.Group>
          <Checkbox
            label={t('driveDialog.eraseForeign')}
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        </>
      }
      pending={change.isPending}
      failure={<ChangeFailure error={change.error} />}
      onConfirm={(typed) => change.mutate(typed)}
      onClose={onClose}
    >
      <DriveLine drive={drive} />
    </ConfirmDialog>
  )
}
