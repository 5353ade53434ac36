import type { Drive } from '@/api/types'
import { driveLooks, UNKNOWN_LOOK } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { Status } from '@/ui/Status'

interface DriveStatusProps {
  state: Drive['state']
  variant?: 'plain' | 'pill'
}

export function DriveStatus({ state, variant = 'plain' }: DriveStatusProps) {
  const look = driveLooks[state] ?? UNKNOWN_LOOK
  return (
    <Status tone={look.tone} icon={look.icon} variant={variant}>
      {word('driveState', state)}
    </Status>
  )
}
