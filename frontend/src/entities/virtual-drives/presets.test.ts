import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { policiesOf, policyBody } from './presets'

const [fastest] = make.controller().presets

describe('a preset in a request', () => {
  it('goes by its name; the policies that were changed in it go beside it', () => {
    if (!fastest) throw new Error('no preset')
    expect(policyBody(fastest, policiesOf(fastest))).toEqual({ preset: 'maximum-performance' })
    expect(policyBody(fastest, { ...policiesOf(fastest), drive_cache_policy: 'off' })).toEqual({
      preset: 'maximum-performance',
      drive_cache_policy: 'off',
    })
  })

  it('is not there when none is chosen: then all policies are said', () => {
    if (!fastest) throw new Error('no preset')
    expect(policyBody(null, { ...policiesOf(fastest), degraded_policy: 'write_through' })).toEqual({
      ...policiesOf(fastest),
      degraded_policy: 'write_through',
    })
  })

  it('asks no host of an earlier version for what it has no word for', () => {
    if (!fastest) throw new Error('no preset')
    expect(policyBody(null, policiesOf(fastest))).not.toHaveProperty('degraded_policy')
    const older = { ...fastest, degraded_policy: null }
    expect(policyBody(older, policiesOf(older))).toEqual({ preset: 'maximum-performance' })
    expect(policiesOf(older).degraded_policy).toBe('keep')
  })
})
