import { CloseButton } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from './Toasts.module.css'
import { dismissToast, useToasts } from './toasts'

export function Toasts() {
  const { t } = useTranslation()
  const toasts = useToasts()
  return (
    <section className={classes.stack} aria-live="polite" aria-label={t('common.messages')}>
      {toasts.map(({ id, message }) => (
        <div key={id} className={classes.toast}>
          <CircleCheck size={18} aria-hidden />
          <p>{message}</p>
          <CloseButton size="sm" aria-label={t('common.close')} onClick={() => dismissToast(id)} />
        </div>
      ))}
    </section>
  )
}
