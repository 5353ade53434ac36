import { describe, expect, it } from 'vitest'
import { readInteger, readSort, readText, readWord, readWords } from './search'

describe('search parameters', () => {
  it('keeps known words and drops the rest', () => {
    expect(readWord('open', ['open', 'resolved'])).toBe('open')
    expect(readWord('<script>', ['open', 'resolved'])).toBeUndefined()
    expect(readWords(['fatal', 'x', 'critical'], ['critical', 'fatal'])).toEqual([
      'critical',
      'fatal',
    ])
    expect(readWords('fatal', ['critical', 'fatal'])).toEqual(['fatal'])
    expect(readWords(7, ['critical'])).toBeUndefined()
  })

  it('reads text and limits it', () => {
    expect(readText('')).toBeUndefined()
    expect(readText('abcdef', 3)).toBe('abc')
    expect(readText(42)).toBe('42')
  })

  it('reads integers within bounds', () => {
    expect(readInteger('3', 0, 5)).toBe(3)
    expect(readInteger(9, 0, 5)).toBeUndefined()
    expect(readInteger('3.5', 0, 5)).toBeUndefined()
  })

  it('accepts a sort by a known column, either way', () => {
    expect(readSort('-name', ['name'])).toBe('-name')
    expect(readSort('name', ['name'])).toBe('name')
    expect(readSort('password', ['name'])).toBeUndefined()
  })
})
