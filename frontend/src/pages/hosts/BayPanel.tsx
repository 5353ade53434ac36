import { CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Drive } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { DriveActions } from '@/features/drives/DriveActions'
import { DriveStateFacts } from '@/features/drives/DriveFacts'
import { TryFailure } from '@/features/drives/TryFailure'
import { Facts } from '@/ui/Facts'
import { Bytes } from '@/ui/Quantity'
import classes from './BaysPanel.module.css'

interface BayPanelProps {
  slot: number
  drive: Drive | undefined
  inventory: Inventory
  onClose: () => void
}

/** The open bay: what is in it, and what can be done with it. */
export function BayPanel({ slot, drive, inventory, onClose }: BayPanelProps) {
  const { t } = useTranslation()
  const title = t('chassis.slot', { slot })
  return (
    <section className={classes.bay} aria-label={title}>
      <div className={classes.bayHead}>
        <h3>{title}</h3>
        <CloseButton aria-label={t('chassis.closeBay')} onClick={onClose} />
      </div>
      {drive ? <BayDrive drive={drive} inventory={inventory} /> : <p>{t('chassis.emptyBay')}</p>}
    </section>
  )
}

function BayDrive({ drive, inventory }: { drive: Drive; inventory: Inventory }) {
  const { t } = useTranslation()
  return (
    <div className={classes.columns}>
      <div>
        <DriveStateFacts drive={drive} groups={inventory.groups} />
        <Facts
          facts={[
            { label: t('drive.size'), value: <Bytes bytes={drive.size_bytes} /> },
            { label: t('drive.model'), value: drive.model || null },
            { label: t('drive.serial'), value: <code>{drive.serial}</code> },
          ]}
        />
        <p>
          <Link to="/drives/$driveId" params={{ driveId: drive.id }}>
            {t('drive.openPage')}
          </Link>
        </p>
      </div>
      {drive.emulated && (
        <div>
          <h4 className={classes.section}>{t('fault.title')}</h4>
          <TryFailure drive={drive} />
        </div>
      )}
      <div>
        <h4 className={classes.section}>{t('drive.actions')}</h4>
        <DriveActions drive={drive} groups={inventory.groups} />
      </div>
    </div>
  )
}
