/** Texts of single pages are there whenever something that shows them is. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import '@/lib/i18n'

const src = resolve(import.meta.dirname, '..')
const modules = import.meta.glob<object>('./en/*.ts', { eager: true })
const late = readdirSync(join(src, 'locales/later')).map((name) => ({
  name,
  sections: Object.keys(modules[`./en/${name}`] ?? {}),
}))

function find(from: string, name: string): string | undefined {
  const path = name.startsWith('@/') ? join(src, name.slice(2)) : join(dirname(from), name)
  return [`${path}.ts`, `${path}.tsx`, join(path, 'index.ts')].find((each) => sources.has(each))
}

const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test|\.gen)\.tsx?$/.test(path))
    .map((path) => [join(src, path), readFileSync(join(src, path), 'utf8')]),
)

/** A file and all that is loaded with it. */
function loadedWith(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  const text = sources.get(path) ?? ''
  for (const [, name] of text.matchAll(/^(?:import|export)(?! type)[^'"]*['"]([^'"]+)['"]/gm)) {
    const found = name && find(path, name)
    if (found) loadedWith(found, seen)
  }
  return seen
}

const roots = [...sources.keys()].filter(
  (path) => path.startsWith(join(src, 'routes')) || path === join(src, 'App.tsx'),
)

describe('texts that come later', () => {
  it.each(late)('$name comes with what shows it', ({ name, sections }) => {
    expect(sections).not.toEqual([])
    const texts = join(src, 'locales/later', name)
    const uses = new RegExp(`['"\`](?:${sections.join('|')})\\.`)
    const shows = (file: string) => file !== texts && uses.test(sources.get(file) ?? '')
    const lacking = roots.flatMap((root) => {
      const loaded = loadedWith(root)
      return loaded.has(texts) ? [] : [...loaded].filter(shows).map((file) => [root, file])
    })
    expect(lacking).toEqual([])
    expect(roots.some((root) => loadedWith(root).has(texts))).toBe(true)
  })
})

/** Calls of i18n.t that run as soon as their file is loaded. */
function earlyTexts(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node)) return
    if (ts.isCallExpression(node) && node.expression.getText() === 'i18n.t') {
      found.push(`${path}: ${node.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

describe('texts', () => {
  it('are taken when they are shown: the language is known only then', () => {
    const using = [...sources].filter(([, text]) => text.includes('i18n.t('))
    expect(using.length).toBeGreaterThan(10)
    expect(using.flatMap(([path, text]) => earlyTexts(path, text))).toEqual([])
  })
})
