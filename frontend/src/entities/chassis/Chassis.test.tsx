import '@/locales/later/drives'
import { screen } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { driveFace, emptyFace } from '@/entities/drives/drive-face'
import * as make from '@/test/factories'
import { renderUi } from '@/test/render'
import { Chassis } from './Chassis'

const context = {
  groups: new Map([[make.GROUP_ID, make.group()]]),
  operations: new Map([[make.driveId(1), make.operation({ progress_percent: 40 })]]),
}
const drives = [
  make.member(0),
  make.member(1, { state: 'rebuild' }),
  make.drive(5, { state: 'failed', temperature_c: null }),
]

function Bays({ onEscape = () => {} }: { onEscape?: () => void }) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  return (
    <Chassis
      label="Bays"
      shape={make.enclosure()}
      faces={new Map(drives.map((drive) => [drive.slot ?? -1, driveFace(drive, context)]))}
      emptyFace={emptyFace}
      coloring="state"
      selected={selected}
      onToggle={(slot) => setSelected(new Set([slot]))}
      onEscape={onEscape}
    />
  )
}

const bay = (slot: number) => screen.getByRole('button', { name: new RegExp(`^Slot ${slot}\\b`) })

describe('Chassis', () => {
  it('says state, size, group, progress and temperature of each bay', () => {
    renderUi(<Bays />)
    expect(bay(0)).toHaveAccessibleName(/Online.*4 GB.*drive group 0, 30 °C/)
    expect(bay(1)).toHaveAccessibleName(/Rebuilding.*40\.0 % rebuilt/)
    expect(bay(5)).toHaveAccessibleName(/Failed.*in no drive group/)
    expect(bay(7)).toHaveAccessibleName(/Empty/)
  })

  it('is one tab stop, and arrows move by place', async () => {
    const { user } = renderUi(<Bays />)
    await user.tab()
    expect(bay(0)).toHaveFocus()
    await user.keyboard('{ArrowDown}')
    expect(bay(4)).toHaveFocus()
    await user.keyboard('{ArrowRight}{ArrowUp}')
    expect(bay(1)).toHaveFocus()
    await user.keyboard('{End}')
    expect(bay(3)).toHaveFocus()
    await user.keyboard('{Control>}{Home}{/Control}')
    expect(bay(0)).toHaveFocus()
    await user.tab()
    expect(document.body).toHaveFocus()
    await user.tab({ shift: true })
    expect(bay(0)).toHaveFocus()
  })

  it('opens a bay with Enter and closes it with Escape', async () => {
    let escapes = 0
    const { user } = renderUi(<Bays onEscape={() => (escapes += 1)} />)
    await user.tab()
    await user.keyboard('{ArrowRight}{Enter}')
    expect(bay(1).parentElement).toHaveAttribute('aria-selected', 'true')
    await user.keyboard('{Escape}')
    expect(escapes).toBe(1)
  })
})
