import '@/locales/later/cache'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { batteriesQuery } from '@/api/batteries'
import { controllerQuery, flushCache } from '@/api/controllers'
import type { Cache, Controller } from '@/api/types'
import { Trouble } from '@/entities/alerts/Trouble'
import { BatteryStatus } from '@/entities/batteries/BatteryStatus'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { RecentEvents } from '@/entities/events/RecentEvents'
import type { Range } from '@/entities/figures/figures'
import { HistoryPanel } from '@/entities/figures/HistoryPanel'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { cacheLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { blockedText, word } from '@/entities/states/words'
import { ActionList } from '@/ui/ActionList'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import { CacheAbout, CacheContent } from './CacheFacts'
import { PreservedPanel } from './PreservedPanel'

const SERIES = ['used_bytes', 'dirty_bytes', 'read_hit_percent', 'destage_bytes_per_s']

interface CachePageProps {
  controllerId: string
  range: Range
  onRangeChange: (range: Range) => void
}

export function CachePage(props: CachePageProps) {
  const { t } = useTranslation()
  const controller = useQuery(controllerQuery(props.controllerId))
  return (
    <Loaded
      query={controller}
      gone={(last) => (
        <Gone
          kind="controller"
          id={props.controllerId}
          of={last}
          title={last && t('cache.title', { path: last.path })}
        />
      )}
    >
      {(data) => <Content controller={data} {...props} />}
    </Loaded>
  )
}

function Content({
  controller,
  range,
  onRangeChange,
}: CachePageProps & { controller: Controller }) {
  const { t } = useTranslation()
  const { cache } = controller
  return (
    <>
      <ObjectHeader
        of={controller}
        title={t('cache.title', { path: controller.path })}
        status={cache && <CacheStatus cache={cache} />}
        subtitle={controller.model}
      />
      <PanelStack>
        <StaleBanner of={controller} />
        <Trouble filter={{ object_id: controller.id }} />
        {cache ? (
          <>
            <PanelGrid>
              <Panel title={t('cache.content')}>
                <CacheContent cache={cache} />
                <FlushAction controller={controller} />
              </Panel>
              <Panel title={t('cache.about')} aside={<BatteryLink controller={controller} />}>
                <CacheAbout cache={cache} rule={controller.no_battery_rule} />
              </Panel>
            </PanelGrid>
            <PreservedPanel controller={controller} preserved={cache.preserved} />
            <HistoryPanel
              objectId={controller.id}
              names={SERIES}
              range={range}
              onRangeChange={onRangeChange}
            />
          </>
        ) : (
          <EmptyState kind="none-yet" title={t('cache.none')}>
            {t('cache.noneText')}
          </EmptyState>
        )}
        <RecentEvents filter={{ object_id: [controller.id] }} />
      </PanelStack>
    </>
  )
}

function FlushAction({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const flush = useChange(() => flushCache(controller), { done: t('cache.flushDone') })
  return (
    <>
      <ActionList
        items={[
          {
            id: 'cache_flush',
            label: t('cache.flush'),
            explanation: t('cache.flushHelp'),
            blockedReason: blockedText(controller.blocked, 'cache_flush'),
            loading: flush.isPending,
            onClick: () => flush.mutate(),
          },
        ]}
      />
      <ChangeFailure error={flush.error} />
    </>
  )
}

function CacheStatus({ cache }: { cache: Cache }) {
  const look = cacheLooks[cache.state] ?? UNKNOWN_LOOK
  return (
    <Status tone={look.tone} icon={look.icon} variant="pill">
      {word('cacheState', cache.state)}
    </Status>
  )
}

function BatteryLink({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const batteries = useQuery(batteriesQuery(controller.host_id)).data ?? []
  const battery = batteries.find((each) => each.controller_id === controller.id)
  if (!battery) return null
  return (
    <>
      <BatteryStatus state={battery.state} />{' '}
      <Link to="/batteries/$batteryId" params={{ batteryId: battery.id }}>
        {t('battery.open')}
      </Link>
    </>
  )
}
