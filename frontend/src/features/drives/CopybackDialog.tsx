import { Button, Group, Modal, Radio, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { driveChanges } from '@/api/drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { useInventory } from '@/entities/hosts/use-inventory'
import { word } from '@/entities/states/words'
import { formatBytes } from '@/lib/format'
import { type DriveDialogProps, DriveLine } from './DriveDialog'

const FREE = ['unconfigured_good', 'hot_spare', 'dedicated_hot_spare']

/** The host decides who fits; offered are all that are free. */
export function CopybackDialog({ drive, onClose }: DriveDialogProps) {
  const { t } = useTranslation()
  const { inventory } = useInventory(drive.host_id)
  const [chosen, setChosen] = useState('')
  const change = useChange((targetId: string) => driveChanges.copyback(drive, 'start', targetId), {
    done: t('driveAction.done.copyback_start', { path: drive.path }),
    onDone: onClose,
  })
  const targets = (inventory?.drives ?? []).filter(
    (each) => each.controller_id === drive.controller_id && FREE.includes(each.state),
  )
  const target = targets.find(({ id }) => id === chosen) ?? targets[0]

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!change.isPending && target) change.mutate(target.id)
  }

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('driveDialog.copybackTitle', { path: drive.path })}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <DriveLine drive={drive} />
          <p>{t('driveDialog.copybackAfter')}</p>
          {targets.length === 0 ? (
            <p>{t('driveDialog.copybackNone')}</p>
          ) : (
            <Radio.Group
              label={t('driveDialog.copybackTarget')}
              value={target?.id ?? ''}
              onChange={setChosen}
            >
              <Stack gap="xs" mt="xs">
                {targets.map((each) => (
                  <Radio
                    key={each.id}
                    value={each.id}
                    label={t('driveDialog.copybackOption', {
                      path: each.path,
                      size: formatBytes(each.size_bytes),
                      state: word('driveState', each.state),
                      serial: each.serial,
                    })}
                  />
                ))}
              </Stack>
            </Radio.Group>
          )}
          <ChangeFailure error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={change.isPending} disabled={!target}>
              {t('driveDialog.copybackVerb')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
