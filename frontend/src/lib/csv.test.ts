import { expect, it } from 'vitest'
import { csv } from './csv'

it('quotes what a comma, a quote or a line would break', () => {
  expect(
    csv([
      ['a', 1, 'b, c'],
      ['say "x"', 'two\nlines'],
    ]),
  ).toBe('a,1,"b, c"\r\n"say ""x""","two\nlines"\r\n')
})

it('lets no text run as a formula', () => {
  expect(csv([['=1+1', -5, '@sum']])).toBe("'=1+1,-5,'@sum\r\n")
})
