/** Which modules the first page needs, so that the build puts them together. */
import { dirname, resolve } from 'node:path'

export interface Graph {
  getModuleInfo(id: string): { code: string | null; importedIds: readonly string[] } | null
}

/** Libraries of many components: who imports one of them does not need the others. */
const LIBRARY = /\/node_modules\/@mantine\/core\/esm\/index\.mjs$/
const IMPORTED = /import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g

const names = (list: string) => list.split(',').map((each) => each.trim().split(/\s+as\s+/))

/** What an index gives, by the files it comes from. */
function homes(index: string, graph: Graph): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, list = '', from = ''] of (graph.getModuleInfo(index)?.code ?? '').matchAll(
    IMPORTED,
  )) {
    if (!from.startsWith('.')) continue
    for (const [name = '', local = name] of names(list))
      found.set(local, resolve(dirname(index), from))
  }
  return found
}

/** All modules that these import at once, and what those import. */
export function reachedFrom(graph: Graph, ids: string[], seen = new Set<string>()): Set<string> {
  for (const id of ids) {
    if (seen.has(id)) continue
    seen.add(id)
    const { importedIds = [], code = '' } = graph.getModuleInfo(id) ?? {}
    const library = importedIds.find((each) => LIBRARY.test(each))
    const others = importedIds.filter((each) => each !== library)
    reachedFrom(graph, [...others, ...(library ? used(graph, library, code ?? '') : [])], seen)
  }
  return seen
}

function used(graph: Graph, library: string, code: string): string[] {
  const found = homes(library, graph)
  return [...code.matchAll(IMPORTED)]
    .filter(([, , from = '']) => from === '@mantine/core')
    .flatMap(([, list = '']) => names(list))
    .flatMap(([name = '']) => found.get(name) ?? [])
}
