import type { VirtualDriveState } from '@/api/types'
import { UNKNOWN_LOOK, virtualDriveLooks } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { Status } from '@/ui/Status'

interface VirtualDriveStatusProps {
  state: VirtualDriveState
  variant?: 'plain' | 'pill'
}

/** Of virtual drives and of drive groups: they share their states. */
export function VirtualDriveStatus({ state, variant = 'plain' }: VirtualDriveStatusProps) {
  const look = virtualDriveLooks[state] ?? UNKNOWN_LOOK
  return (
    <Status tone={look.tone} icon={look.icon} variant={variant}>
      {word('virtualDriveState', state)}
    </Status>
  )
}
