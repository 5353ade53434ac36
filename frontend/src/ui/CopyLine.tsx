import { ActionIcon } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '@/lib/clipboard'
import classes from './CopyLine.module.css'
import { Tooltip } from './Tooltip'

interface CopyLineProps {
  text: string
  /** What the line is, for those who cannot see it: "Copy: attach with the kernel". */
  label: string
}

export function CopyLine({ text, label }: CopyLineProps) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)

  async function copy() {
    if (await copyText(text)) setCopied(true)
  }

  return (
    <div className={classes.line}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <pre className={classes.text} tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <Tooltip label={copied ? t('common.copied') : t('common.copy')}>
        <ActionIcon
          variant="subtle"
          size="md"
          aria-label={t('common.copyThing', { thing: label })}
          onClick={copy}
          onBlur={() => setCopied(false)}
        >
          {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
      <span role="status" className={classes.spoken}>
        {copied ? t('common.copied') : ''}
      </span>
    </div>
  )
}
