import { VisuallyHidden } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { Ref } from 'react'
import type { Tone } from '@/ui/Status'
import classes from './Bay.module.css'
import type { Coloring } from './Chassis'

/** What one bay shows, already in words. */
export interface BayFace {
  slot: number
  /** "Slot", spoken before the number. */
  slotWord: string
  /** Spoken after what is seen: "member of drive group 0, 31 °C". */
  spoken: string
  empty: boolean
  tone: Tone
  icon: LucideIcon
  word: string
  size?: string
  group?: { index: number; text: string }
  temperature?: { celsius: number; text: string }
  percent?: number
  /** The place among the chosen ones. */
  choice?: number
  locating?: boolean
  /** Cannot be chosen; the reason is spoken and shown as a title. */
  blockedReason?: string
}

interface BayProps {
  face: BayFace
  coloring: Coloring
  selected: boolean
  peer: boolean
  tabIndex: 0 | -1
  buttonRef: Ref<HTMLButtonElement>
  onFocus: () => void
  onToggle: () => void
}

/** Steps of the temperature scale; a legend on the page names them. */
export function heatStep(celsius: number): 'cool' | 'normal' | 'warm' | 'hot' {
  if (celsius < 30) return 'cool'
  if (celsius < 45) return 'normal'
  return celsius < 55 ? 'warm' : 'hot'
}

/** Group colors repeat after six; the number is always printed beside them. */
export const GROUP_HUES = 6

export function Bay({ face, coloring, selected, peer, ...rest }: BayProps) {
  const Icon = face.icon
  const heat =
    coloring === 'temperature' && face.temperature ? heatStep(face.temperature.celsius) : undefined
  const hue = coloring === 'group' && face.group ? face.group.index % GROUP_HUES : undefined
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes the focus
    <div role="gridcell" aria-selected={selected} className={classes.cell}>
      <button
        ref={rest.buttonRef}
        type="button"
        className={classes.bay}
        tabIndex={rest.tabIndex}
        aria-disabled={face.blockedReason !== undefined || undefined}
        title={face.blockedReason}
        data-empty={face.empty}
        data-tone={face.tone}
        data-selected={selected}
        data-peer={peer}
        data-coloring={coloring}
        data-heat={heat}
        data-hue={hue}
        data-blocked={face.blockedReason !== undefined}
        onFocus={rest.onFocus}
        onClick={() => {
          if (face.blockedReason === undefined) rest.onToggle()
        }}
      >
        <span className={classes.top}>
          <span className={classes.slot}>
            <VisuallyHidden>{face.slotWord} </VisuallyHidden>
            {face.slot}
          </span>
          {face.choice === undefined ? (
            <span className={classes.led} data-locating={face.locating} />
          ) : (
            <span className={classes.choice} aria-hidden>
              {face.choice}
            </span>
          )}
        </span>
        <span className={classes.state}>
          <Icon size={16} strokeWidth={2.25} aria-hidden />
          <span className={classes.word}>{face.word}</span>
        </span>
        <span className={classes.foot}>
          <span>{coloring === 'temperature' ? (face.temperature?.text ?? '') : face.size}</span>
          {face.group && <span className={classes.group}>{face.group.text}</span>}
        </span>
        <VisuallyHidden>{face.spoken}</VisuallyHidden>
        {face.percent !== undefined && (
          <span className={classes.track}>
            <span className={classes.bar} style={{ width: `${face.percent}%` }} />
          </span>
        )}
      </button>
    </div>
  )
}
