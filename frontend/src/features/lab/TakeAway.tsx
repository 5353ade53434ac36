import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '@/lib/clipboard'
import { showToast } from '@/ui/toasts'

/** A result as a link, as a table, and what else there is of it. */
export function TakeAway({ onCsv, children }: { onCsv: () => void; children?: ReactNode }) {
  const { t } = useTranslation()
  async function copy() {
    if (await copyText(window.location.href)) showToast(t('lab.linkCopied'))
  }
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={() => void copy()}>
        {t('lab.link')}
      </Button>
      <Button variant="default" size="xs" onClick={onCsv}>
        {t('lab.exportCsv')}
      </Button>
      {children}
    </Group>
  )
}
