import { describe, expect, it } from 'vitest'
import { blockedText } from './words'

const said = (code: string, params: Record<string, string>) =>
  blockedText({ op: { code, params, text: 'As the host says it.' } }, 'op')

describe('why something is not possible', () => {
  it('is said without the words of the command line', () => {
    expect(said('wrong_state', { key: '/c0/v0', state: 'Pdgd', op: 'expand' })).toBe(
      'Not possible in the state “Partially degraded”.',
    )
    expect(said('wrong_state', { key: '/c0/d1', state: 'OfLn', op: 'expand' })).toBe(
      'Not possible while its drive group is in the state “Offline”.',
    )
    expect(said('drive_not_ugood', { drive: '/c0/e252/s0', state: 'Onln' })).toBe(
      'Only possible with an unconfigured good drive, and this one is in the state “Online”.',
    )
    expect(said('no_redundancy', { key: '4152524159575254001b957f' })).toBe(
      'Not needed: there is no redundancy to keep in step.',
    )
  })

  it('is said as it came where the page has no words for it', () => {
    expect(said('wrong_state', { key: '/c0/v0', state: 'new', op: 'x' })).toBe(
      'As the host says it.',
    )
    expect(said('busy', { key: '/c0/v0' })).toBe('As the host says it.')
  })
})
