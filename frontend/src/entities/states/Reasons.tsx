import type { Reason } from '@/api/types'
import { reasonText } from '@/lib/told'
import { Notice } from '@/ui/Notice'

interface ReasonsProps {
  tone: 'crit' | 'warn'
  title: string
  reasons: Reason[]
  /** Spoken when they appear. */
  live?: boolean
}

/** What the host says against something, or to consider: one sentence each. Nothing without any. */
export function Reasons({ tone, title, reasons, live }: ReasonsProps) {
  if (reasons.length === 0) return null
  return (
    <Notice tone={tone} title={title} live={live}>
      <ul>
        {reasons.map((reason) => (
          <li key={reason.code + reason.text}>{reasonText(reason)}</li>
        ))}
      </ul>
    </Notice>
  )
}
