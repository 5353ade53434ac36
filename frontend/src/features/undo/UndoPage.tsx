import '@/locales/later/undo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { controllerQuery } from '@/api/controllers'
import { drivesQuery } from '@/api/drives'
import type { Controller, SavedConfiguration, SavedConfigurations } from '@/api/types'
import { undoQuery } from '@/api/undo'
import { RecentEvents } from '@/entities/events/RecentEvents'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { DataTable } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { Panel, PanelStack } from '@/ui/Panel'
import { columns } from './columns'
import { RestoreDialog } from './RestoreDialog'

export function UndoPage({ controllerId }: { controllerId: string }) {
  const { t } = useTranslation()
  const controller = useQuery(controllerQuery(controllerId))
  return (
    <Loaded
      query={controller}
      gone={(last) => (
        <Gone
          kind="controller"
          id={controllerId}
          of={last}
          title={last && t('undo.title', { path: last.path })}
        />
      )}
    >
      {(data) => <Content controller={data} />}
    </Loaded>
  )
}

function Content({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const saved = useQuery(undoQuery(controller.id))
  return (
    <>
      <ObjectHeader
        of={controller}
        title={t('undo.title', { path: controller.path })}
        subtitle={controller.model}
      />
      <PanelStack>
        <StaleBanner of={controller} />
        <Loaded query={saved}>{(data) => <Saved controller={controller} saved={data} />}</Loaded>
        <RecentEvents filter={{ object_id: [controller.id] }} />
      </PanelStack>
    </>
  )
}

function Saved({ controller, saved }: { controller: Controller; saved: SavedConfigurations }) {
  const { t } = useTranslation()
  const drives = useQuery(drivesQuery(controller.host_id)).data ?? []
  const [asked, setAsked] = useState<SavedConfiguration | null>(null)
  if (saved.items.length === 0) {
    return (
      <EmptyState kind="none-yet" title={t('undo.none')}>
        {t('undo.noneText')}
      </EmptyState>
    )
  }
  return (
    <Panel title={t('undo.list')}>
      <p>{t('undo.intro')}</p>
      <DataTable
        label={t('undo.list')}
        columns={columns(controller, drives, setAsked)}
        rows={saved.items}
        rowId={({ undo }) => String(undo)}
      />
      {asked && (
        <RestoreDialog controller={controller} saved={asked} onClose={() => setAsked(null)} />
      )}
    </Panel>
  )
}
