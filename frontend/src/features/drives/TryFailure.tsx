import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { driveChanges } from '@/api/drives'
import type { Drive, FaultKind, InjectFault } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText } from '@/entities/states/words'
import { ActionList } from '@/ui/ActionList'
import { FaultDialog } from './FaultDialog'
import classes from './TryFailure.module.css'

const FAULTS: FaultKind[] = [
  'pull',
  'return',
  'replace',
  'media_error',
  'write_error',
  'slow',
  'clear',
]
/** These take place at the click; the others ask first, for numbers or for consent. */
const DIRECT: FaultKind[] = ['pull', 'return', 'clear']

/** Only for emulated drives: makes failures, so that people see what happens then. */
export function TryFailure({ drive }: { drive: Drive }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState<FaultKind | null>(null)
  const [last, setLast] = useState<FaultKind>('pull')
  const change = useChange((fault: InjectFault) => driveChanges.injectFault(drive, fault), {
    done: t(`fault.${last}.done`, { path: drive.path }),
    onDone: () => setAsking(null),
  })

  function inject(fault: InjectFault) {
    setLast(fault.fault)
    change.mutate(fault)
  }

  function begin(kind: FaultKind) {
    change.reset()
    if (DIRECT.includes(kind)) inject({ fault: kind })
    else setAsking(kind)
  }

  return (
    <>
      <p className={classes.intro}>{t('fault.intro')}</p>
      <ActiveFaults drive={drive} />
      <ActionList
        items={FAULTS.map((kind) => ({
          id: kind,
          label: t(`fault.${kind}.label`),
          explanation: t(`fault.${kind}.help`),
          blockedReason: blockedText(drive.blocked, 'fault_inject', kind),
          danger: kind === 'pull',
          loading: change.isPending && last === kind && asking === null,
          onClick: () => begin(kind),
        }))}
      />
      {asking === null && <ChangeFailure error={change.error} />}
      {asking !== null && (
        <FaultDialog
          kind={asking}
          drive={drive}
          pending={change.isPending}
          failure={<ChangeFailure error={change.error} />}
          onInject={inject}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

function ActiveFaults({ drive }: { drive: Drive }) {
  const { t } = useTranslation()
  if (drive.faults.length === 0) return null
  return (
    <div className={classes.active}>
      <strong>{t('fault.active')}</strong>
      <ul>
        {drive.faults.map(({ kind, lba, count, latency_ms }) => {
          const known =
            kind === 'pull' || kind === 'media_error' || kind === 'write_error' || kind === 'slow'
          return (
            <li key={`${kind}/${lba}/${latency_ms}`}>
              {t(`fault.activeText.${known ? kind : 'other'}`, {
                kind,
                lba: lba ?? 0,
                count: count ?? 1,
                latency: latency_ms ?? 0,
              })}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
