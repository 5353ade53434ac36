import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller } from '@/api/types'
import { controllerLooks, UNKNOWN_LOOK } from '@/features/states/tones'
import { blockedText, word } from '@/features/states/words'
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
            value:
              controller.cache_bytes > 0
                ? formatBytes(controller.cache_bytes)
                : t('controller.noCache'),
          },
          {
            label: t('controller.battery'),
            value:
              controller.battery === 'absent' ? t('controller.batteryAbsent') : controller.battery,
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
            label: t('controller.nbdTcp'),
            value: controller.nbd_tcp ? <code>{controller.nbd_tcp}</code> : t('controller.nbdOff'),
          },
        ]}
      />
      <ActionButton
        variant="default"
        size="compact-md"
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
