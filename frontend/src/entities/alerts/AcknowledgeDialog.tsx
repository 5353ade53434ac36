import { Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { acknowledgeAlert } from '@/api/activity'
import { caused } from '@/api/live/caused'
import type { Alert } from '@/api/types'
import { problemOf } from '@/lib/problem'
import { alertTitle } from '@/lib/told'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { showToast } from '@/ui/toasts'

const NOTE_MAX = 500

export function AcknowledgeDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const acknowledge = useMutation({
    mutationFn: () => acknowledgeAlert(alert.id, note),
    onSettled: () => {
      void caused(client, 'alert')
    },
    onSuccess: () => {
      showToast(t('alert.acknowledged'))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('alert.acknowledgeTitle', { title: alertTitle(alert) })}
      verb={t('alert.acknowledge')}
      grade={{ kind: 'plain' }}
      pending={acknowledge.isPending}
      failure={acknowledge.error && <ProblemNotice problem={problemOf(acknowledge.error)} />}
      onConfirm={() => acknowledge.mutate()}
      onClose={onClose}
    >
      <p>{t('alert.acknowledgeText')}</p>
      <Textarea
        label={t('alert.acknowledgeNote')}
        description={t('alert.acknowledgeHelp')}
        value={note}
        maxLength={NOTE_MAX}
        rows={3}
        data-autofocus
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
