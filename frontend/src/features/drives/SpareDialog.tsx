import { Button, Checkbox, Group, Modal, Radio, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { driveChanges, type SpareWish } from '@/api/drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { word } from '@/entities/states/words'
import { type DriveDialogProps, DriveLine } from './DriveDialog'
import { SerialField, useSerialNeeded } from './SerialField'

export function SpareDialog({ drive, groups, onClose }: DriveDialogProps) {
  const { t } = useTranslation()
  const [kind, setKind] = useState('global')
  const [groupIds, setGroupIds] = useState<string[]>([])
  const [affinity, setAffinity] = useState(false)
  const [revertible, setRevertible] = useState(true)
  const [serial, setSerial] = useState('')
  const [complaint, setComplaint] = useState<string>()
  const change = useChange((wish: SpareWish) => driveChanges.makeHotSpare(drive, wish), {
    done: t('driveAction.done.spare_add', { path: drive.path }),
    onDone: onClose,
  })
  const serialNeeded = useSerialNeeded(change.error)
  const served = groups.filter((group) => group.controller_id === drive.controller_id)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending) return
    if (kind === 'dedicated' && groupIds.length === 0) {
      setComplaint(t('driveDialog.spareChoose'))
      return
    }
    setComplaint(undefined)
    change.mutate({
      drive_group_ids: kind === 'dedicated' ? groupIds : [],
      enclosure_affinity: affinity,
      non_revertible: !revertible,
      ...(serialNeeded && { serial }),
    })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('driveDialog.spareTitle', { path: drive.path })}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <DriveLine drive={drive} />
          <Radio.Group label={t('driveDialog.spareKind')} value={kind} onChange={setKind}>
            <Stack gap="xs" mt="xs">
              <Radio value="global" label={t('driveDialog.spareGlobal')} />
              <Radio
                value="dedicated"
                label={t('driveDialog.spareDedicated')}
                disabled={served.length === 0}
                description={served.length === 0 ? t('driveDialog.spareNoGroups') : undefined}
              />
            </Stack>
          </Radio.Group>
          {kind === 'dedicated' && (
            <Checkbox.Group
              label={t('drive.group')}
              value={groupIds}
              error={complaint}
              onChange={setGroupIds}
            >
              <Stack gap="xs" mt="xs">
                {served.map((group) => (
                  <Checkbox
                    key={group.id}
                    value={group.id}
                    label={`${group.path} (${word('raidLevel', group.level)})`}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <Checkbox
            label={t('driveDialog.spareAffinity')}
            disabled={drive.enclosure_id === null}
            checked={affinity}
            onChange={(event) => setAffinity(event.currentTarget.checked)}
          />
          <Checkbox
            label={t('driveDialog.spareRevertible')}
            checked={revertible}
            onChange={(event) => setRevertible(event.currentTarget.checked)}
          />
          {serialNeeded && <SerialField drive={drive} value={serial} onChange={setSerial} />}
          <ChangeFailure error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              loading={change.isPending}
              {...(serialNeeded && { color: 'red' })}
            >
              {t('driveDialog.spareVerb')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
