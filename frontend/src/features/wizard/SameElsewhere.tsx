import { useTranslation } from 'react-i18next'
import type { VirtualDriveCreate } from '@/api/types'
import { restCall } from '@/entities/wishes/wish'
import { serverUrl } from '@/lib/root-path'
import classes from '@/ui/Choosing.module.css'
import { CopyLine } from '@/ui/CopyLine'

/** What this page would do, for those who would rather type or automate it. */
export function SameElsewhere({ cli, body }: { cli: string; body: VirtualDriveCreate }) {
  const { t } = useTranslation()
  return (
    <details className={classes.same} open>
      <summary>{t('wizard.same')}</summary>
      {cli && (
        <>
          <p className={classes.sameLabel}>{t('wizard.cli')}</p>
          <CopyLine label={t('wizard.cli')} text={cli} />
        </>
      )}
      <p className={classes.sameLabel}>{t('wizard.rest')}</p>
      <CopyLine label={t('wizard.rest')} text={restCall(serverUrl(), body)} />
    </details>
  )
}
