import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batteryChanges } from '@/api/batteries'
import type { Battery, BatteryUpdate, LearnMode } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { word } from '@/entities/states/words'
import { serverNow } from '@/lib/clock'
import { toLocalField } from '@/lib/format'

const MODES: LearnMode[] = ['auto', 'warn', 'manual', 'disabled']

interface LearnDialogProps {
  battery: Battery
  learn: NonNullable<Battery['learn']>
  onClose: () => void
}

export function LearnDialog({ battery, learn, onClose }: LearnDialogProps) {
  const { t } = useTranslation()
  const [mode, setMode] = useState(learn.mode)
  const before = toLocalField(learn.next_at)
  const [date, setDate] = useState(before)
  const hasDate = mode === 'auto' || mode === 'warn'
  const isPast = date !== before && date !== '' && Date.parse(date) <= serverNow()
  const change = useChange((body: BatteryUpdate) => batteryChanges.update(battery, body), {
    done: t('battery.learnEdit.done'),
    onDone: onClose,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (change.isPending || (hasDate && isPast)) return
    // Only what differs, so that a change made elsewhere meanwhile is not undone.
    const body: BatteryUpdate = {
      ...(mode !== learn.mode && { learn_mode: mode }),
      ...(hasDate &&
        date !== '' &&
        date !== before && { next_learn_at: new Date(date).toISOString() }),
    }
    if (Object.keys(body).length === 0) onClose()
    else change.mutate(body)
  }

  return (
    <Modal opened onClose={onClose} title={t('battery.learnEdit.title', { path: battery.path })}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <NativeSelect
            label={t('battery.learnMode')}
            value={mode}
            data={MODES.map((value) => ({ value, label: word('learnMode', value) }))}
            onChange={(event) => {
              const chosen = MODES.find((value) => value === event.currentTarget.value)
              if (chosen) setMode(chosen)
            }}
          />
          {hasDate && (
            <TextInput
              type="datetime-local"
              label={t('battery.learnEdit.date')}
              description={t('battery.learnEdit.dateHelp')}
              value={date}
              error={isPast ? t('battery.learnEdit.datePast') : undefined}
              onChange={(event) => setDate(event.currentTarget.value)}
            />
          )}
          <ChangeFailure error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
