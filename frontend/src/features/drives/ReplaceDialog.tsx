import { Button, Group, Modal, Radio, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { driveChanges, type MemberPlace } from '@/api/drives'
import type { DriveGroup, Member } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { isReplaceable } from '@/entities/drives/replaceable'
import { word } from '@/entities/states/words'
import { type DriveDialogProps, DriveLine } from './DriveDialog'
import { SerialField, useSerialNeeded } from './SerialField'

interface Place {
  group: DriveGroup
  member: Member
}

export function ReplaceDialog({ drive, groups, onClose }: DriveDialogProps) {
  const { t } = useTranslation()
  const places: Place[] = groups
    .filter((group) => group.controller_id === drive.controller_id)
    .flatMap((group) => group.members.filter(isReplaceable).map((member) => ({ group, member })))
  const [chosen, setChosen] = useState('0')
  const [serial, setSerial] = useState('')
  const change = useChange((place: MemberPlace) => driveChanges.replace(drive, place), {
    done: t('driveAction.done.drive_replace', { path: drive.path }),
    onDone: onClose,
  })
  const serialNeeded = useSerialNeeded(change.error)
  const place = places[Number(chosen)]

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending || !place) return
    change.mutate({
      drive_group_id: place.group.id,
      span: place.member.span,
      row: place.member.row,
      ...(serialNeeded && { serial }),
    })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('driveDialog.replaceTitle', { path: drive.path })}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <DriveLine drive={drive} />
          {places.length === 0 ? (
            <p>{t('driveDialog.replaceNone')}</p>
          ) : (
            <Radio.Group label={t('driveDialog.replacePlace')} value={chosen} onChange={setChosen}>
              <Stack gap="xs" mt="xs">
                {places.map(({ group, member }, index) => (
                  <Radio
                    key={`${group.id}/${member.span}/${member.row}`}
                    value={String(index)}
                    label={t('driveDialog.replaceOption', {
                      group: group.path,
                      level: word('raidLevel', group.level),
                      span: member.span,
                      row: member.row,
                      state: word('driveState', member.state),
                      serial: member.serial,
                    })}
                  />
                ))}
              </Stack>
            </Radio.Group>
          )}
          {serialNeeded && <SerialField drive={drive} value={serial} onChange={setSerial} />}
          <ChangeFailure error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={change.isPending} disabled={!place}>
              {t('driveDialog.replaceVerb')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
