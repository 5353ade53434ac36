import { useTranslation } from 'react-i18next'
import type { Drive } from '@/api/types'
import { driveLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { Status } from '@/ui/Status'
import type { Coloring } from './Chassis'
import classes from './Legend.module.css'

/** What the colors mean just now: only states that are there. */
export function Legend({ coloring, drives }: { coloring: Coloring; drives: Drive[] }) {
  const { t } = useTranslation()
  const states = [...new Set(drives.map((drive) => drive.state))]
  return (
    <ul className={classes.legend} aria-label={t('chassis.legend')}>
      {coloring === 'temperature'
        ? (['cool', 'normal', 'warm', 'hot'] as const).map((step) => (
            <li key={step} className={classes.heat} data-heat={step}>
              {t(`chassis.heat.${step}`)}
            </li>
          ))
        : states.map((state) => {
            const look = driveLooks[state] ?? UNKNOWN_LOOK
            return (
              <li key={state}>
                <Status tone={look.tone} icon={look.icon}>
                  {word('driveState', state)}
                </Status>
              </li>
            )
          })}
      {drives.some((drive) => drive.drive_group_id) && <li>{t('chassis.peers')}</li>}
    </ul>
  )
}
