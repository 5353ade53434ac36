/** That every text has its German is a matter of types (de/same.ts). Here is what types do not see. */
import { describe, expect, it } from 'vitest'
import { de } from './de'

const modules = import.meta.glob<object>('./en/*.ts', { eager: true })

function flat(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[path + key, value] as [string, string]]
      : flat(value as object, `${path}${key}.`),
  )
}

const english = Object.entries(modules)
  .filter(([name]) => name !== './en/index.ts')
  .flatMap(([, texts]) => flat(texts))
const german = new Map(flat(de))

const holes = (text: string) => (text.match(/\{\{\w+\}\}|<\/?\w+>/g) ?? []).sort()

/** Names, units and words that both languages have. */
const COMMON = new Set(
  (
    'Administrator Agent Array Arrays Arraywright Balance Code Container Controller Copyback ' +
    'Debug Expander Fatal Firmware Flush Format GiB Host Hosts Information Kernel Level Linux ' +
    'Live Medium MiB Motor Name Offline Online Optimal Performance Protection Rack Rebuild ' +
    'SSDs Span Spans Spare Status StorSave Stripe System Threads Version berlin md ms offline rack-4 ' +
    'site'
  ).split(' '),
)

/** "1E", "TiB/s" and the like are no words. */
const words = (text: string) =>
  text.replace(/\{\{\w+\}\}|<\/?\w+>/g, ' ').match(/[A-Za-zÄÖÜäöüß][\w-]*[a-zäöüß][\w-]*/g) ?? []

describe('German', () => {
  it('has the parameters of the English texts', () => {
    const different = english
      .map(([key, text]) => ({ key, en: holes(text), de: holes(german.get(key) ?? '') }))
      .filter(({ en, de }) => en.join() !== de.join())
    expect(different).toEqual([])
  })

  it('has the keys of the English texts', () => {
    expect([...german.keys()].sort()).toEqual(english.map(([key]) => key).sort())
  })

  it('is not English', () => {
    const same = english
      .filter(([key, text]) => german.get(key) === text)
      .filter(([, text]) => words(text).some((word) => !COMMON.has(word)))
    expect(same).toEqual([])
  })

  it('addresses people formally', () => {
    const familiar = [...german].filter(([, text]) =>
      /\b([Dd]u|[Dd]eine?[mnrs]?|[Dd]ich|[Dd]ir)\b/.test(text),
    )
    expect(familiar).toEqual([])
  })
})
