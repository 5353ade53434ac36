import { describe, expect, it } from 'vitest'
import { ProblemError, problemOf, splitFields, toProblem } from './problem'

const stale = {
  type: 'about:blank',
  title: 'Precondition failed',
  status: 412,
  code: 'stale_precondition',
  detail: 'The virtual drive has changed.',
}

describe('problems', () => {
  it('keeps status, code and fields', () => {
    const error = new ProblemError(toProblem(stale, { status: 412, statusText: '' }))
    expect(error.status).toBe(412)
    expect(error.code).toBe('stale_precondition')
    expect(error.message).toBe('The virtual drive has changed.')
    expect(problemOf(error)).toMatchObject(stale)
  })

  it('makes a problem of an answer that is none', () => {
    expect(toProblem('<html>', { status: 502, statusText: 'Bad Gateway' })).toMatchObject({
      status: 502,
      code: 'unreachable',
      title: 'Bad Gateway',
    })
    expect(toProblem(undefined, { status: 500, statusText: '' }).title).toBe('HTTP 500')
  })

  it('keeps the message of other errors', () => {
    expect(problemOf(new TypeError('boom'))).toMatchObject({ status: 0, detail: 'boom' })
  })
})

describe('splitFields', () => {
  const problem = {
    ...stale,
    status: 422,
    errors: [
      { pointer: '/body/name', message: 'taken' },
      { pointer: '/name', message: 'second message for the same field' },
      { pointer: '#/drives/0', message: 'gone' },
      { pointer: '/unknown', message: 'elsewhere' },
    ],
  }

  it('gives each field its first message and leaves the rest to the form', () => {
    const { byField, rest } = splitFields(problem, ['name', 'drives'])
    expect(byField).toEqual({ name: 'taken', drives: 'gone' })
    expect(rest).toEqual([{ pointer: '/unknown', message: 'elsewhere' }])
  })

  it('copes with problems without fields', () => {
    expect(splitFields(stale, ['name'])).toEqual({ byField: {}, rest: [] })
  })
})
