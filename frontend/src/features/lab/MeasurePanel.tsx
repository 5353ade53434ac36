import { NativeSelect, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hostNamesQuery } from '@/api/hosts'
import { catalogueQuery } from '@/api/lab'
import type { Load, VirtualDrive } from '@/api/types'
import { virtualDriveChanges, virtualDriveQuery, virtualDrivesQuery } from '@/api/virtual-drives'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText, word } from '@/entities/states/words'
import { formatBytes } from '@/lib/format'
import { ActionButton } from '@/ui/ActionButton'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { Panel } from '@/ui/Panel'
import { TogglePills } from '@/ui/TogglePills'
import classes from './Lab.module.css'
import { LOAD_NAMES, LOADS, type LoadName, overwrites, SECONDS } from './loads'
import { MeasuredResult } from './MeasuredResult'
import { MoreLoads } from './MoreLoads'
import { moreLoads } from './more-loads'
import type { LabSearch } from './search'

interface MeasurePanelProps {
  search: LabSearch
  onSearchChange: (change: LabSearch) => void
}

/** Loads on a virtual drive that is there, next to what is predicted of it. */
export function MeasurePanel({ search, onSearchChange }: MeasurePanelProps) {
  const { t } = useTranslation()
  const hosts = useQuery(hostNamesQuery).data ?? []
  const host = hosts.find(({ id }) => id === search.host) ?? hosts[0]
  return (
    <Panel title={t('measure.title')}>
      <Stack gap="md">
        <p className={classes.muted}>{t('measure.hint')}</p>
        {host ? (
          <HostPart
            key={host.id}
            hostId={host.id}
            hosts={hosts.map(({ id, label }) => ({ value: id, label }))}
            search={search}
            onSearchChange={onSearchChange}
          />
        ) : (
          <p>{t('measure.noHosts')}</p>
        )}
      </Stack>
    </Panel>
  )
}

interface HostPartProps extends MeasurePanelProps {
  hostId: string
  hosts: { value: string; label: string }[]
}

function HostPart({ hostId, hosts, search, onSearchChange }: HostPartProps) {
  const { t } = useTranslation()
  const drives = useQuery(virtualDrivesQuery(hostId)).data
  const chosen = drives?.find(({ id }) => id === search.vd) ?? drives?.[0]
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
        <NativeSelect
          label={t('measure.host')}
          value={hostId}
          data={hosts}
          onChange={(event) => onSearchChange({ host: event.currentTarget.value, vd: undefined })}
        />
        <NativeSelect
          label={t('measure.virtualDrive')}
          value={chosen?.id ?? ''}
          disabled={!chosen}
          data={(drives ?? []).map((each) => ({
            value: each.id,
            label: t('measure.option', {
              name: each.name || each.path,
              level: word('raidLevel', each.level),
              size: formatBytes(each.size_bytes),
            }),
          }))}
          onChange={(event) => onSearchChange({ host: hostId, vd: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('measure.seconds')}
          value={search.seconds ?? '10'}
          data={SECONDS.map((value) => ({ value, label: t('measure.secondsOf', { value }) }))}
          onChange={(event) =>
            onSearchChange({ seconds: event.currentTarget.value as (typeof SECONDS)[number] })
          }
        />
      </SimpleGrid>
      {chosen && <DrivePart key={chosen.id} id={chosen.id} {...{ search, onSearchChange }} />}
      {drives && !chosen && <p>{t('measure.noDrives')}</p>}
    </>
  )
}

const LOOK_MS = 1000
const DEFAULT_NAMES: readonly LoadName[] = ['sequentialRead', 'randomReads']

function DrivePart({ id, search, onSearchChange }: MeasurePanelProps & { id: string }) {
  const { t } = useTranslation()
  const { data: drive } = useQuery({
    ...virtualDriveQuery(id),
    refetchInterval: ({ state }) =>
      state.data?.measurement?.state === 'running' ? LOOK_MS : false,
  })
  const catalogue = useQuery(catalogueQuery).data
  const more = moreLoads(search.more ?? [], catalogue)
  // One's own loads stand alone if nothing else is asked for.
  const names = search.measure ?? (more.length > 0 ? [] : DEFAULT_NAMES)
  const loads = [...names.map((name) => LOADS[name]), ...more.map(({ load }) => load)]
  return (
    <>
      <TogglePills
        label={t('measure.loads')}
        options={LOAD_NAMES.map((value) => ({ value, label: t(`measure.names.${value}`) }))}
        values={names}
        mayBeEmpty={more.length > 0}
        onChange={(next) => onSearchChange({ measure: next.length > 0 ? next : undefined })}
      />
      <MoreLoads
        catalogue={catalogue}
        loads={more}
        count={loads.length}
        onChange={(texts) =>
          onSearchChange({
            more: texts.length > 0 ? texts : undefined,
            measure: names.length > 0 ? [...names] : undefined,
          })
        }
      />
      {drive && <Start drive={drive} loads={loads} seconds={Number(search.seconds ?? '10')} />}
      {drive?.measurement && <MeasuredResult drive={drive} measurement={drive.measurement} />}
    </>
  )
}

interface StartProps {
  drive: VirtualDrive
  loads: Load[]
  seconds: number
}

function Start({ drive, loads, seconds }: StartProps) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const name = drive.name || drive.path
  const start = useChange(
    (confirm: string) =>
      virtualDriveChanges.measure(drive, {
        action: 'start',
        seconds,
        loads,
        ...(confirm ? { confirm } : {}),
      }),
    { done: t('measure.started', { name }), onDone: () => setAsking(false) },
  )
  const stop = useChange(() => virtualDriveChanges.measure(drive, { action: 'stop' }), {
    done: t('measure.stopped', { name }),
  })
  const writes = overwrites(loads)
  const running = drive.measurement?.state === 'running'
  return (
    <>
      <div>
        {running ? (
          <ActionButton
            size="md"
            variant="default"
            loading={stop.isPending}
            blockedReason={blockedText(drive.blocked, 'vd_measure', 'stop')}
            onClick={() => stop.mutate(undefined)}
          >
            {t('measure.stop')}
          </ActionButton>
        ) : (
          <ActionButton
            size="md"
            color={writes ? 'red' : undefined}
            loading={start.isPending && !asking}
            blockedReason={blockedText(drive.blocked, 'vd_measure', 'start')}
            onClick={() => (writes ? setAsking(true) : start.mutate(''))}
          >
            {t(writes ? 'measure.overwrite' : 'measure.start', { name })}
          </ActionButton>
        )}
      </div>
      {!asking && <ChangeFailure error={start.error ?? stop.error} />}
      <ConfirmDialog
        opened={asking}
        title={t('measure.dialog', { name })}
        verb={t('measure.overwrite', { name })}
        grade={{ kind: 'typed', expected: name, label: t('measure.label') }}
        consequences={[
          t('measure.lost', { name, size: formatBytes(drive.size_bytes) }),
          t('measure.notExported'),
        ]}
        pending={start.isPending}
        failure={<ChangeFailure error={start.error} />}
        onConfirm={(typed) => start.mutate(typed)}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
