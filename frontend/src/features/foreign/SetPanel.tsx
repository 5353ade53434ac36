import { useTranslation } from 'react-i18next'
import type { Drive, ForeignConfiguration } from '@/api/types'
import { foreignLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { reasonText } from '@/lib/told'
import { ActionButton } from '@/ui/ActionButton'
import { DataTable } from '@/ui/DataTable'
import { Facts } from '@/ui/Facts'
import { Notice } from '@/ui/Notice'
import { Panel } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import { placeColumns, volumeColumns } from './columns'
import classes from './Foreign.module.css'
import { isImportable, nameOf, placesOf } from './sets'

interface SetPanelProps {
  set: ForeignConfiguration
  drives: Drive[]
  blockedReason: string | undefined
  clearBlocked: string | undefined
  onImport: () => void
  onClear: () => void
}

/** One set: what it says of itself, and what an import would make of it. */
export function SetPanel(props: SetPanelProps) {
  const { set, drives, blockedReason, clearBlocked, onImport, onClear } = props
  const { t } = useTranslation()
  const name = nameOf(set)
  const refusal = set.refusal ? reasonText(set.refusal) : t('foreign.oldAgent')
  return (
    <Panel
      title={t('foreign.set', { name })}
      aside={
        <>
          {set.outcome && <Outcome outcome={set.outcome} />}
          <ActionButton
            variant="light"
            size="compact-sm"
            aria-label={t('foreign.importNamed', { name })}
            blockedReason={blockedReason ?? (isImportable(set) ? undefined : refusal)}
            onClick={onImport}
          >
            {t('foreign.import')}
          </ActionButton>
          <ActionButton
            variant="default"
            size="compact-sm"
            aria-label={t('foreign.clearNamed', { name })}
            blockedReason={clearBlocked}
            onClick={onClear}
          >
            {t('foreign.clear')}
          </ActionButton>
        </>
      }
    >
      <div className={classes.set}>
        {set.refusal && (
          <Notice tone="warn" title={word('foreignOutcome', 'refused')}>
            <p>{reasonText(set.refusal)}</p>
          </Notice>
        )}
        <Facts
          facts={[
            ...(set.origin ? [{ label: t('foreign.origin'), value: set.origin }] : []),
            {
              label: t('foreign.format'),
              value: t('foreign.formatValue', {
                format: word('foreignFormat', set.format),
                version: set.version,
              }),
            },
            { label: t('foreign.sequence'), value: String(set.sequence) },
            { label: t('foreign.identity'), value: <code className={classes.id}>{set.id}</code> },
          ]}
        />
        <DataTable
          label={t('foreign.volumes', { name })}
          columns={volumeColumns()}
          rows={set.virtual_drives}
          rowId={(volume) => volume.name}
        />
        <DataTable
          label={t('foreign.drives', { name })}
          columns={placeColumns()}
          rows={placesOf(set, drives)}
          rowId={(place) => place.driveId ?? place.serial}
        />
      </div>
    </Panel>
  )
}

export function Outcome({ outcome }: { outcome: NonNullable<ForeignConfiguration['outcome']> }) {
  const look = foreignLooks[outcome] ?? UNKNOWN_LOOK
  return (
    <Status tone={look.tone} icon={look.icon}>
      {word('foreignOutcome', outcome)}
    </Status>
  )
}
