import type { Battery } from '@/api/types'
import { batteryLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { Status } from '@/ui/Status'

interface BatteryStatusProps {
  state: Battery['state']
  variant?: 'plain' | 'pill'
}

export function BatteryStatus({ state, variant = 'plain' }: BatteryStatusProps) {
  const look = batteryLooks[state] ?? UNKNOWN_LOOK
  return (
    <Status tone={look.tone} icon={look.icon} variant={variant}>
      {word('batteryState', state)}
    </Status>
  )
}
