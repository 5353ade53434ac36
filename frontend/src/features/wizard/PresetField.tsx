import type { Controller } from '@/api/types'
import { PresetSelect } from '@/entities/virtual-drives/PresetSelect'
import { policiesOf } from '@/entities/virtual-drives/presets'
import { emptyWish, type Wish } from '@/entities/wishes/wish'

interface PresetFieldProps {
  wish: Wish
  controller: Controller
  onChange: (part: Partial<Wish>) => void
}

/** A preset fills in the policies; without one they are as they were at first. */
export function PresetField({ wish, controller, onChange }: PresetFieldProps) {
  return (
    <PresetSelect
      presets={controller.presets}
      value={wish.preset}
      onChange={(preset) =>
        onChange({
          preset,
          acceptedRisks: '',
          ...policiesOf(preset ?? emptyWish('')),
        } as Partial<Wish>)
      }
    />
  )
}
