import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Drive, DriveGroup } from '@/api/types'
import { word } from '@/entities/states/words'
import { reasonText } from '@/lib/told'
import { Bytes } from '@/ui/Quantity'
import classes from './GroupPage.module.css'

interface SpareChoicesProps {
  group: DriveGroup
  drives: Drive[]
}

/** Who would stand in for a lost member now, and what speaks for or against each drive. */
export function SpareChoices({ group, drives }: SpareChoicesProps) {
  const { t } = useTranslation()
  const asked = group.spare_choices
    .toSorted((a, b) => Number(b.chosen) - Number(a.chosen))
    .flatMap((choice) => {
      const drive = drives.find(({ id }) => id === choice.drive_id)
      return drive ? [{ ...choice, drive }] : []
    })
  const nobody = asked.every(({ chosen }) => !chosen)
  return (
    <>
      {nobody && <p>{t('group.noSpares')}</p>}
      <ul className={classes.list}>
        {asked.map(({ drive, chosen, reason }) => (
          <li key={drive.id}>
            <Link
              to="/drives/$driveId"
              params={{ driveId: drive.id }}
              {...(chosen && { className: classes.name })}
            >
              {drive.path}
            </Link>
            <Bytes bytes={drive.size_bytes} />
            <span>{word('driveState', drive.state)}</span>
            <p className={classes.why}>
              {chosen && <strong>{t('group.spareFirst')} </strong>}
              {reasonText(reason)}
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}
