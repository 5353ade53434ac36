import '@/locales/later/foreign'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { controllerQuery } from '@/api/controllers'
import { drivesQuery } from '@/api/drives'
import { foreignQuery } from '@/api/foreign'
import type { Controller, ForeignConfiguration, ForeignConfigurations } from '@/api/types'
import { RecentEvents } from '@/entities/events/RecentEvents'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { blockedText } from '@/entities/states/words'
import { ActionButton } from '@/ui/ActionButton'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { PanelStack } from '@/ui/Panel'
import { ClearDialog } from './ClearDialog'
import { DamagedPanel } from './DamagedPanel'
import { ImportDialog } from './ImportDialog'
import { SetPanel } from './SetPanel'
import { isImportable, nameOf } from './sets'

export function ForeignPage({ controllerId }: { controllerId: string }) {
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
          title={last && t('foreign.title', { path: last.path })}
        />
      )}
    >
      {(data) => <Content controller={data} />}
    </Loaded>
  )
}

function Content({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const found = useQuery(foreignQuery(controller.id))
  return (
    <>
      <ObjectHeader
        of={controller}
        title={t('foreign.title', { path: controller.path })}
        subtitle={controller.model}
        actions={
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} aria-hidden />}
            loading={found.isFetching}
            onClick={() => void found.refetch()}
          >
            {t('foreign.scan')}
          </Button>
        }
      />
      <PanelStack>
        <StaleBanner of={controller} />
        <Loaded query={found}>{(data) => <Found controller={controller} found={data} />}</Loaded>
        <RecentEvents filter={{ object_id: [controller.id] }} />
      </PanelStack>
    </>
  )
}

function Found({ controller, found }: { controller: Controller; found: ForeignConfigurations }) {
  const { t } = useTranslation()
  const drives = useQuery(drivesQuery(controller.host_id)).data ?? []
  const [asked, setAsked] = useState<ForeignConfiguration[] | null>(null)
  const [clearing, setClearing] = useState<ForeignConfiguration | null>(null)
  const blocked = blockedText(controller.blocked, 'foreign_import')
  const importable = found.sets.filter(isImportable)
  if (found.sets.length === 0 && found.damaged.length === 0) {
    return (
      <EmptyState kind="none-yet" title={t('foreign.none')}>
        {t('foreign.noneText')}
      </EmptyState>
    )
  }
  return (
    <>
      <p>{t('foreign.intro')}</p>
      {found.sets.length > 1 && (
        <div>
          <ActionButton
            variant="default"
            blockedReason={
              blocked ?? (importable.length === 0 ? t('foreign.importAllNone') : undefined)
            }
            onClick={() => setAsked(importable)}
          >
            {t('foreign.importAll')}
          </ActionButton>
        </div>
      )}
      {found.sets.map((set) => (
        <SetPanel
          key={set.id}
          set={set}
          drives={drives}
          blockedReason={blocked}
          clearBlocked={blockedText(controller.blocked, 'foreign_clear')}
          onImport={() => setAsked([set])}
          onClear={() => setClearing(set)}
        />
      ))}
      {found.damaged.length > 0 && <DamagedPanel damaged={found.damaged} drives={drives} />}
      {asked && (
        <ImportDialog
          key={asked.map(nameOf).join()}
          controller={controller}
          sets={asked}
          onClose={() => setAsked(null)}
        />
      )}
      {clearing && (
        <ClearDialog controller={controller} set={clearing} onClose={() => setClearing(null)} />
      )}
    </>
  )
}
