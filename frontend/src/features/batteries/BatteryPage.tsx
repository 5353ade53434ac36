import '@/locales/later/drives'
import '@/locales/later/cache'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { batteryQuery } from '@/api/batteries'
import type { Battery } from '@/api/types'
import { Trouble } from '@/entities/alerts/Trouble'
import { BatteryStatus } from '@/entities/batteries/BatteryStatus'
import { RecentEvents } from '@/entities/events/RecentEvents'
import type { Range } from '@/entities/figures/figures'
import { HistoryPanel } from '@/entities/figures/HistoryPanel'
import { Gone } from '@/entities/hosts/Gone'
import { ObjectHeader } from '@/entities/hosts/ObjectHeader'
import { StaleBanner } from '@/entities/hosts/StaleBanner'
import { Loaded } from '@/ui/Loaded'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { BatteryIdentityFacts, BatteryStateFacts } from './BatteryFacts'
import { LearnPanel } from './LearnPanel'
import { TryBattery } from './TryBattery'

const SERIES = ['charge_percent', 'temperature_c', 'full_capacity_mah', 'left_s']

interface BatteryPageProps {
  batteryId: string
  range: Range
  onRangeChange: (range: Range) => void
}

export function BatteryPage(props: BatteryPageProps) {
  const { t } = useTranslation()
  const battery = useQuery(batteryQuery(props.batteryId))
  return (
    <Loaded
      query={battery}
      gone={(last) => (
        <Gone
          kind="battery"
          id={props.batteryId}
          of={last}
          title={last && t('battery.title', { path: last.path })}
        />
      )}
    >
      {(data) => <BatteryContent battery={data} {...props} />}
    </Loaded>
  )
}

function BatteryContent({
  battery,
  range,
  onRangeChange,
}: BatteryPageProps & { battery: Battery }) {
  const { t } = useTranslation()
  return (
    <>
      <ObjectHeader
        of={battery}
        title={t('battery.title', { path: battery.path })}
        below={[
          <Link
            key="cache"
            to="/controllers/$controllerId/cache"
            params={{ controllerId: battery.controller_id }}
          >
            {t('controller.cache')}
          </Link>,
        ]}
        status={<BatteryStatus state={battery.state} variant="pill" />}
        subtitle={battery.model}
      />
      <PanelStack>
        <StaleBanner of={battery} />
        <Trouble filter={{ object_id: battery.id }} />
        <PanelGrid>
          <PanelStack>
            <Panel title={t('battery.about')}>
              <BatteryStateFacts battery={battery} />
            </Panel>
            <Panel title={t('battery.identity')}>
              <BatteryIdentityFacts battery={battery} />
            </Panel>
          </PanelStack>
          <PanelStack>
            <LearnPanel battery={battery} />
            {battery.emulated && (
              <Panel title={t('fault.title')}>
                <TryBattery battery={battery} />
              </Panel>
            )}
          </PanelStack>
        </PanelGrid>
        <HistoryPanel
          objectId={battery.id}
          names={SERIES}
          range={range}
          onRangeChange={onRangeChange}
        />
        <RecentEvents filter={{ object_id: [battery.id] }} />
      </PanelStack>
    </>
  )
}
