import { useTranslation } from 'react-i18next'
import { Tooltip } from '@/ui/Tooltip'
import { useLiveStatus } from './live-status'
import classes from './Shell.module.css'

export function LiveBadge() {
  const { t } = useTranslation()
  const status = useLiveStatus()
  return (
    <Tooltip label={t(`shell.live.help.${status}`)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip's text must reach the keyboard */}
      <span className={classes.live} data-status={status} role="status" tabIndex={0}>
        <span className={classes.liveDot} aria-hidden />
        {t(`shell.live.${status}`)}
      </span>
    </Tooltip>
  )
}
