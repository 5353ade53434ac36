/**
 * What agents and the server tell, in the language of the page: by its code and parameters, which
 * come with every sentence. The sentence itself is English. A code that this language does not have,
 * or not with these parameters, is shown as it came.
 */
import { formatBytes, formatDateTime } from './format'
import { i18n } from './i18n'
import { readInner } from './reader'

type Params = Record<string, string>
type Table = 'reason' | 'serverText' | 'eventText'

/** Times inside a sentence, as servers write them. */
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g

function template(table: Table | 'findingTitle' | 'levelText', code: string): string | undefined {
  const text: unknown = i18n.getResource(i18n.language, 'translation', `${table}.${code}`)
  return typeof text === 'string' ? text : undefined
}

function shown(name: string, value: string): string {
  const isSize = /(^|_)bytes$/.test(name) && /^\d+$/.test(value)
  return isSize ? formatBytes(Number(value)) : readInner(name, value)
}

function fill(text: string, params: Params): string | undefined {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.some((name) => params[name] === undefined)) return undefined
  return text.replace(/\{(\w+)\}/g, (_, name: string) => shown(name, params[name] ?? ''))
}

/** Undefined: this language has no words for it. */
export function ownWords(tables: Table[], code: string, params?: Params | null) {
  for (const table of tables) {
    const text = template(table, code)
    const filled = text && fill(text, params ?? {})
    if (filled) return filled.replace(ISO_TIME, (time) => formatDateTime(time))
  }
  return undefined
}

interface Told {
  code: string
  params: Params
  text: string
}

export function reasonText({ code, params, text }: Told): string {
  const own = ownWords(['reason', 'serverText'], code, params)
  return own ?? text.replace(ISO_TIME, (time) => formatDateTime(time))
}

export const eventText = (event: { name: string; params: Params; text: string }) =>
  ownWords(['eventText'], event.name, event.params) ?? event.text

export const alertTitle = (alert: { rule: string; title: string }) =>
  template('findingTitle', alert.rule) ?? alert.title

export const levelText = (rule: { level: string; description: string }) =>
  template('levelText', rule.level) ?? rule.description

/** Who did something. Names of users have no spaces: "command line" is a word of the server's. */
export const actorText = (actor: string) => (actor.includes(' ') ? readInner('', actor) : actor)

/** A sentence that comes without a code. */
export const sentence = (text: string) => readInner('', text)
