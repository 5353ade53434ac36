import { NumberInput, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Drive, FaultKind, InjectFault } from '@/api/types'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { DriveLine } from './DriveDialog'

interface FaultDialogProps {
  kind: FaultKind
  drive: Drive
  pending: boolean
  failure: ReactNode
  onInject: (fault: InjectFault) => void
  onClose: () => void
}

const DEFAULT_LBA = 2048
const DEFAULT_COUNT = 8
const DEFAULT_LATENCY_MS = 200

export function FaultDialog({ kind, drive, ...rest }: FaultDialogProps) {
  const { t } = useTranslation()
  const [lba, setLba] = useState<number | string>(DEFAULT_LBA)
  const [count, setCount] = useState<number | string>(DEFAULT_COUNT)
  const [latency, setLatency] = useState<number | string>(DEFAULT_LATENCY_MS)
  const asksRange = kind === 'media_error' || kind === 'write_error'
  const blocks = Math.floor(drive.size_bytes / 512)

  function confirm() {
    if (asksRange) rest.onInject({ fault: kind, lba: Number(lba), count: Number(count) })
    else if (kind === 'slow') rest.onInject({ fault: kind, latency_ms: Number(latency) })
    else rest.onInject({ fault: kind })
  }

  return (
    <ConfirmDialog
      opened
      title={t(`fault.${kind}.label`).replace(/ …$/, '')}
      verb={kind in VERBS ? t(`fault.verb.${kind as keyof typeof VERBS}`) : t('common.next')}
      grade={{ kind: 'plain' }}
      consequences={kind === 'replace' ? [t('fault.replaceText')] : []}
      pending={rest.pending}
      failure={rest.failure}
      onConfirm={confirm}
      onClose={rest.onClose}
    >
      <DriveLine drive={drive} />
      {asksRange && (
        <Stack gap="sm">
          <NumberInput
            label={t('fault.lba')}
            value={lba}
            onChange={setLba}
            min={0}
            max={blocks - 1}
            allowDecimal={false}
            thousandSeparator=","
          />
          <NumberInput
            label={t('fault.count')}
            value={count}
            onChange={setCount}
            min={1}
            max={blocks}
            allowDecimal={false}
          />
        </Stack>
      )}
      {kind === 'slow' && (
        <NumberInput
          label={t('fault.latency')}
          value={latency}
          onChange={setLatency}
          min={1}
          max={60_000}
          allowDecimal={false}
        />
      )}
    </ConfirmDialog>
  )
}

const VERBS = { replace: true, media_error: true, slow: true, write_error: true }
