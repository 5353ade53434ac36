import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SHORT_STATES } from './refusal'
import { blockedText } from './words'

const protocol = new URL('../../../../agent/protocol/words.json', import.meta.url)
type State = { word: string; short: string }
const { enums } = JSON.parse(readFileSync(protocol, 'utf8')) as {
  enums: { drive_state: State[]; virtual_drive_state: State[] }
}

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

  it('knows the state words of the protocol', () => {
    const known = Object.entries(SHORT_STATES).map(([short, key]) => `${short} ${key}`)
    const told = [
      ...enums.drive_state.map(({ word, short }) => `${short} driveState.${word}`),
      ...enums.virtual_drive_state
        .filter(({ short }) => short !== 'Starting')
        .map(({ word, short }) => `${short} virtualDriveState.${word}`),
    ]
    expect(known.sort()).toEqual(told.sort())
  })
})
