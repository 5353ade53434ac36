import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { discardCache } from '@/api/controllers'
import type { Controller, PreservedCache } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { formatBytes } from '@/lib/format'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { type Column, DataTable } from '@/ui/DataTable'
import { Panel } from '@/ui/Panel'
import { Bytes } from '@/ui/Quantity'
import classes from './CachePage.module.css'

interface PreservedPanelProps {
  controller: Controller
  preserved: PreservedCache[]
}

function columns(
  blockedReason: string | undefined,
  onDiscard: (item: PreservedCache) => void,
): Column<PreservedCache>[] {
  return [
    {
      id: 'name',
      header: i18n.t('cache.columns.name'),
      isRowHeader: true,
      cell: (item) => item.name,
    },
    {
      id: 'bytes',
      header: i18n.t('cache.columns.bytes'),
      cell: (item) => <Bytes bytes={item.bytes} />,
    },
    {
      id: 'why',
      header: i18n.t('cache.columns.why'),
      grow: true,
      cell: (item) => reasonText(item.reason),
    },
    {
      id: 'action',
      header: i18n.t('cache.columns.action'),
      cell: (item) => (
        <ActionButton
          variant="light"
          color="red"
          size="compact-sm"
          aria-label={i18n.t('cache.discardNamed', { name: item.name })}
          blockedReason={blockedReason}
          onClick={() => onDiscard(item)}
        >
          {i18n.t('cache.discard')}
        </ActionButton>
      ),
    },
  ]
}

/** Acknowledged writes that wait for their drives; only an explicit command lets go of them. */
export function PreservedPanel({ controller, preserved }: PreservedPanelProps) {
  const { t } = useTranslation()
  const [asked, setAsked] = useState<PreservedCache | null>(null)
  return (
    <Panel title={t('cache.preserved')}>
      {preserved.length === 0 ? (
        <p>{t('cache.preservedNone')}</p>
      ) : (
        <>
          <p className={classes.intro}>{t('cache.preservedIntro')}</p>
          <DataTable
            label={t('cache.preserved')}
            columns={columns(blockedText(controller.blocked, 'cache_discard'), setAsked)}
            rows={preserved}
            rowId={(item) => item.virtual_drive_key}
          />
        </>
      )}
      {asked && (
        <DiscardDialog controller={controller} preserved={asked} onClose={() => setAsked(null)} />
      )}
    </Panel>
  )
}

interface DiscardDialogProps {
  controller: Controller
  preserved: PreservedCache
  onClose: () => void
}

function DiscardDialog({ controller, preserved, onClose }: DiscardDialogProps) {
  const { t } = useTranslation()
  const { name } = preserved
  const size = formatBytes(preserved.bytes)
  const discard = useChange((typed: string) => discardCache(controller, preserved, typed), {
    done: t('cache.discarded', { name }),
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      opened
      title={t('cache.discardNamed', { name })}
      verb={t('cache.discardVerb', { size })}
      grade={{ kind: 'typed', expected: name, label: t('cache.discardLabel') }}
      consequences={[t('cache.discardLoss', { size, name }), t('cache.discardMixed')]}
      pending={discard.isPending}
      failure={<ChangeFailure error={discard.error} />}
      onConfirm={(typed) => discard.mutate(typed)}
      onClose={onClose}
    />
  )
}
