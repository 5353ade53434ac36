import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batteryChanges } from '@/api/batteries'
import type { Battery, BatteryFault } from '@/api/types'
import { ChangeFailure } from '@/entities/commands/ChangeFailure'
import { useChange } from '@/entities/commands/use-change'
import { blockedText, word } from '@/entities/states/words'
import { ActionList } from '@/ui/ActionList'
import classes from './BatteryPage.module.css'

const FAULTS: BatteryFault[] = [
  'fail',
  'remove',
  'low_charge',
  'overheat',
  'wear_out',
  'power_off',
  'clear',
]

/** Only for emulated batteries: makes failures, so that people see what becomes of the cache. */
export function TryBattery({ battery }: { battery: Battery }) {
  const { t } = useTranslation()
  const [last, setLast] = useState<BatteryFault>('fail')
  const change = useChange((fault: BatteryFault) => batteryChanges.injectFault(battery, fault), {
    done: t(`batteryTry.${last}.done`),
  })
  return (
    <>
      <p className={classes.intro}>{t('batteryTry.intro')}</p>
      {battery.faults.length > 0 && (
        <div className={classes.active}>
          <strong>{t('batteryTry.active')}</strong>
          <ul>
            {battery.faults.map((fault) => (
              <li key={fault}>{word('batteryFault', fault)}</li>
            ))}
          </ul>
        </div>
      )}
      <ActionList
        items={FAULTS.map((fault) => ({
          id: fault,
          label: t(`batteryTry.${fault}.label`),
          explanation: t(`batteryTry.${fault}.help`),
          blockedReason: blockedText(battery.blocked, 'battery_fault', fault),
          danger: fault === 'remove' || fault === 'fail',
          loading: change.isPending && last === fault,
          onClick: () => {
            setLast(fault)
            change.mutate(fault)
          },
        }))}
      />
      <ChangeFailure error={change.error} />
    </>
  )
}
