/**
 * Readers for search parameters: a broken URL falls back to the default instead of failing.
 * Each returns undefined for "not set", so that defaults never clutter the address. A route must
 * name every one of its parameters in what it returns, also as undefined: the router keeps raw
 * values for names that the validator leaves out.
 */
export function readWord<const W extends string>(
  value: unknown,
  words: readonly W[],
): W | undefined {
  return words.find((word) => word === value)
}

export function readText(value: unknown, maxLength = 200): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.length > 0 ? value.slice(0, maxLength) : undefined
}

/** Some texts, each once, in the order of the alphabet. */
export function readTexts(value: unknown, max: number, maxLength = 200): string[] | undefined {
  const given = (Array.isArray(value) ? value : [value]).map((text) => readText(text, maxLength))
  const texts = [...new Set(given.filter((text) => text !== undefined))].sort().slice(0, max)
  return texts.length > 0 ? texts : undefined
}

/** Some texts, each once, in the order that they were given in. */
export function readList(value: unknown, max: number, maxLength = 200): string[] | undefined {
  const given = (Array.isArray(value) ? value : [value]).map((text) => readText(text, maxLength))
  const texts = [...new Set(given.filter((text) => text !== undefined))].slice(0, max)
  return texts.length > 0 ? texts : undefined
}

export function readWords<const W extends string>(
  value: unknown,
  words: readonly W[],
): W[] | undefined {
  const given = Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
  const known = words.filter((word) => given.includes(word))
  return known.length > 0 ? known : undefined
}

export function readInteger(value: unknown, min: number, max: number): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) return undefined
  return number >= min && number <= max ? number : undefined
}

/** "name" or "-name": the sorted column and its direction. */
export function readSort(value: unknown, columns: readonly string[]): string | undefined {
  const text = readText(value)
  return text !== undefined && columns.includes(text.replace(/^-/, '')) ? text : undefined
}
