import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batteriesQuery } from '@/api/batteries'
import type { Controller } from '@/api/types'
import { BatteryStatus } from '@/entities/batteries/BatteryStatus'
import { controllerLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { vendorWords } from '@/entities/states/vocabulary'
import { blockedText, word } from '@/entities/states/words'
import { formatBytes } from '@/lib/format'
import { ActionButton } from '@/ui/ActionButton'
import { Facts } from '@/ui/Facts'
import { Panel } from '@/ui/Panel'
import { Status } from '@/ui/Status'
import { ControllerSettings } from './ControllerSettings'
import classes from './ControllersPanel.module.css'

export function ControllersPanel({ controllers }: { controllers: Controller[] }) {
  const { t } = useTranslation()
  return (
    <Panel title={t('host.controllers')}>
      {controllers.length === 0 && <p>{t('host.noController')}</p>}
      {controllers.map((controller) => (
        <ControllerView key={controller.id} controller={controller} />
      ))}
    </Panel>
  )
}

function ControllerView({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const [isEditing, setEditing] = useState(false)
  const look = controllerLooks[controller.status] ?? UNKNOWN_LOOK
  const words = vendorWords(controller)
  return (
    <div className={classes.controller}>
      <div className={classes.head}>
        <h3>
          {controller.model} <code>{controller.path}</code>
        </h3>
        <Status tone={look.tone} icon={look.icon}>
          {word('controllerStatus', controller.status)}
        </Status>
      </div>
      <Facts
        facts={[
          { label: t('controller.firmware'), value: controller.firmware_version },
          { label: t('controller.serial'), value: <code>{controller.serial}</code> },
          {
            label: t('controller.cache'),
            value: <CacheMemory controller={controller} />,
          },
          {
            label: t('controller.battery'),
            value: <BatteryState controller={controller} />,
          },
          {
            label: t('controller.rebuildRate'),
            value: t('common.percent', { value: controller.rebuild_rate_percent }),
          },
          {
            label: t('controller.bgiRate'),
            value: t('common.percent', { value: controller.bgi_rate_percent }),
          },
          {
            label: t('controller.autoRebuild'),
            value: controller.auto_rebuild ? t('controller.on') : t('controller.off'),
          },
          {
            label: t('controller.foreign'),
            value: (
              <Link
                to="/controllers/$controllerId/foreign"
                params={{ controllerId: controller.id }}
              >
                {t('controller.foreignOpen')}
              </Link>
            ),
          },
          {
            label: t('controller.undo'),
            value: (
              <Link to="/controllers/$controllerId/undo" params={{ controllerId: controller.id }}>
                {t('controller.undoOpen')}
              </Link>
            ),
          },
          ...(words ? [{ label: t('controller.vocabulary'), value: words }] : []),
          {
            label: t('controller.nbdTcp'),
            value: controller.nbd_tcp ? <code>{controller.nbd_tcp}</code> : t('controller.nbdOff'),
          },
        ]}
      />
      <ActionButton
        variant="default"
        size="compact-sm"
        mt="xs"
        blockedReason={blockedText(controller.blocked, 'controller_set')}
        onClick={() => setEditing(true)}
      >
        {t('controller.settings')}
      </ActionButton>
      {isEditing && (
        <ControllerSettings controller={controller} onClose={() => setEditing(false)} />
      )}
    </div>
  )
}

function CacheMemory({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  if (controller.cache_bytes === 0 && !controller.cache) return t('controller.noCache')
  return (
    <>
      {formatBytes(controller.cache?.size_bytes ?? controller.cache_bytes)}{' '}
      {controller.cache && (
        <Link to="/controllers/$controllerId/cache" params={{ controllerId: controller.id }}>
          {t('battery.cachePage')}
        </Link>
      )}
    </>
  )
}

/** The battery's own state where it is reported; agents of the former version tell one word. */
function BatteryState({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const batteries = useQuery(batteriesQuery(controller.host_id)).data ?? []
  const battery = batteries.find((each) => each.controller_id === controller.id)
  if (!battery) {
    return controller.battery === 'absent' ? t('controller.batteryAbsent') : controller.battery
  }
  return (
    <>
      <BatteryStatus state={battery.state} />{' '}
      <Link to="/batteries/$batteryId" params={{ batteryId: battery.id }}>
        {t('battery.open')}
      </Link>
    </>
  )
}
