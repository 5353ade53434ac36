import { useTranslation } from 'react-i18next'
import type { Battery } from '@/api/types'
import { BatteryStatus } from '@/entities/batteries/BatteryStatus'
import { batteryLooks } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { formatDuration, formatPercent } from '@/lib/format'
import { reasonText, sentence } from '@/lib/told'
import { type Fact, Facts } from '@/ui/Facts'
import { Meter } from '@/ui/Meter'
import classes from './BatteryPage.module.css'

/** What is not known is left out; a plain battery knows hardly anything. */
function present(facts: (Fact | null | false)[]): Fact[] {
  return facts.filter((fact): fact is Fact => Boolean(fact))
}

export function BatteryStateFacts({ battery }: { battery: Battery }) {
  const { t } = useTranslation()
  const { charge_percent: charge, health_percent: health, left_s: left } = battery
  const full = battery.retention_s
  const low = battery.low_left_s
  return (
    <>
      <Facts
        facts={present([
          {
            label: t('common.state'),
            value: (
              <>
                <BatteryStatus state={battery.state} />
                <p className={classes.help}>{reasonText(battery.state_reason)}</p>
              </>
            ),
          },
          {
            label: t('battery.protects'),
            value: battery.protects ? t('battery.protectsYes') : t('battery.protectsNo'),
          },
          charge !== null && {
            label: t('battery.charge'),
            value: (
              <Meter
                label={t('battery.charge')}
                text={formatPercent(charge)}
                value={charge}
                max={100}
                tone={batteryLooks[battery.state]?.tone ?? 'info'}
              />
            ),
          },
          left !== null && {
            label: battery.kind === 'ups' ? t('battery.leftUps') : t('battery.left'),
            value:
              full === null
                ? formatDuration(left)
                : t('battery.leftOf', { left: formatDuration(left), full: formatDuration(full) }),
          },
          low !== null && {
            label: t('battery.lowLeft'),
            value: t('battery.lowLeftValue', { time: formatDuration(low) }),
          },
          health !== null && {
            label: t('battery.health'),
            value: t('battery.healthValue', { percent: health }),
          },
          battery.full_capacity_mah !== null &&
            battery.design_capacity_mah !== null && {
              label: t('battery.capacity'),
              value: t('battery.capacityValue', {
                full: battery.full_capacity_mah,
                design: battery.design_capacity_mah,
              }),
            },
          battery.temperature_c !== null && {
            label: t('battery.temperature'),
            value: t('battery.temperatureValue', { degrees: battery.temperature_c }),
          },
          battery.voltage_mv !== null && {
            label: t('battery.voltage'),
            value: t('battery.voltageValue', { volts: (battery.voltage_mv / 1000).toFixed(2) }),
          },
          battery.cycle_count !== null && {
            label: t('battery.cycles'),
            value: battery.cycle_count,
          },
        ])}
      />
      {!battery.smart && <p className={classes.help}>{t('battery.plain')}</p>}
    </>
  )
}

export function BatteryIdentityFacts({ battery }: { battery: Battery }) {
  const { t } = useTranslation()
  const optional = (label: string, value: string | null) => value !== null && { label, value }
  return (
    <Facts
      facts={present([
        { label: t('battery.kind'), value: word('batteryKind', battery.kind) },
        { label: t('battery.model'), value: battery.model },
        optional(t('battery.manufacturer'), battery.manufacturer),
        { label: t('battery.serial'), value: <code>{battery.serial || '–'}</code> },
        optional(t('battery.manufactured'), battery.manufactured_on),
        optional(t('battery.mounting'), battery.mounting && sentence(battery.mounting)),
        { label: t('battery.source'), value: <code>{battery.source}</code> },
      ])}
    />
  )
}
