/**
 * Words and sentences that stand inside a parameter of a sentence: why a drive was lost, in an event
 * about it. The protocol gives them as English text alone, and so they are in the events of years.
 * The protocol's own sentences and words are recognized in it; anything else stays as it is.
 */
interface Inner {
  /** Parameters that people or machines have named. */
  verbatim: string[]
  values: Record<string, string>
  /** The English of the codes in `reason`. */
  english: Record<string, string>
}

interface Pattern {
  matches: RegExp
  names: string[]
  german: string
  /** Whether the English ends with a full stop. */
  stops: boolean
  weight: number
}

function pattern(english: string, german: string): Pattern {
  const names: string[] = []
  // An inner sentence may have lost its full stop to that of the outer one.
  const source = english
    .replace(/\.$/, '')
    .split(/\{(\w+)\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      names.push(part)
      return '(.+?)'
    })
    .join('')
  const weight = english.replace(/\{\w+\}/g, '').length
  const matches = new RegExp(`^${source}\\.?$`, 's')
  return { matches, names, german, stops: english.endsWith('.'), weight }
}

function allPatterns({ values, english }: Inner, german: Record<string, string>): Pattern[] {
  const reasons = Object.entries(english).map(([code, text]) => pattern(text, german[code] ?? text))
  const words = Object.entries(values).map(([text, own]) => pattern(text, own))
  // The one that says most of the sentence itself comes first.
  return [...words, ...reasons]
    .filter(({ weight }) => weight > 2)
    .sort((a, b) => b.weight - a.weight)
}

/** Decimals of sizes, as agents write them: "1.5 GB". */
const SIZE = /(\d)\.(\d+ [kMGTPE]i?B)\b/g

/** Of a language: reads a parameter by its name and value. `german` has the reasons by their code. */
export function makeReader(inner: Inner, german: Record<string, string>) {
  let patterns: Pattern[] | undefined

  function readWhole(text: string): string | undefined {
    if (Object.hasOwn(inner.values, text)) return inner.values[text]
    patterns ??= allPatterns(inner, german)
    for (const { matches, names, german: own, stops } of patterns) {
      const found = matches.exec(text)
      if (found === null) continue
      const params = new Map(names.map((name, index) => [name, found[index + 1] ?? '']))
      const filled = own.replace(/\{(\w+)\}/g, (_, name: string) =>
        read(name, params.get(name) ?? ''),
      )
      return stops && !text.endsWith('.') ? filled.replace(/\.$/, '') : filled
    }
    return undefined
  }

  function read(name: string, value: string): string {
    if (value === '' || inner.verbatim.includes(name)) return value
    const whole = readWhole(value)
    const parts = value.split(', ').map((part) => readWhole(part) ?? part)
    return (whole ?? parts.join(', ')).replace(SIZE, '$1,$2')
  }

  return read
}
