import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Reason } from '@/api/types'
import { Reasons } from './Reasons'

const reason = (slot: number): Reason => ({
  code: 'from_a_newer_host',
  params: {},
  text: `Slot ${slot} is not free.`,
})

describe('Reasons', () => {
  it('says each of them, also where one code is there twice', () => {
    render(<Reasons tone="crit" title="Why not" reasons={[reason(1), reason(2)]} live />)
    expect(screen.getByRole('alert')).toHaveTextContent('Why not')
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Slot 1 is not free.',
      'Slot 2 is not free.',
    ])
  })

  it('is not there without any', () => {
    const { container } = render(<Reasons tone="warn" title="Why not" reasons={[]} />)
    expect(container).toBeEmptyDOMElement()
  })
})
