/** One place says what makes an answer old: nobody else writes keys or has answers asked again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LiveItem } from './live/protocol'
import { COMMAND_CAUSES, detail, list, RESOURCES, type Resource, touches } from './registry'

const src = resolve(import.meta.dirname, '..')
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test|\.gen)\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(join(src, path), 'utf8')] as const),
)
const resources = Object.keys(RESOURCES) as Resource[]

/** Files that say such a thing, but for those that may. */
function saying(words: RegExp, ...allowed: string[]): string[] {
  const others = [...sources].filter(([path]) => !allowed.includes(path))
  return others.filter(([, text]) => words.test(text)).map(([path]) => path)
}

describe('query keys', () => {
  it('are made by the registry alone', () => {
    expect(saying(/queryKey\w*\s*[:=]\s*\[/)).toEqual([])
    const api = [...sources.keys()].filter((path) => path.startsWith('api/'))
    // An options object may be asked for its key; none is written elsewhere.
    expect(saying(/(?<!\.)\bqueryKey\b/, ...api)).toEqual([])
  })

  it('are all in use', () => {
    const uses = (resource: string) => saying(new RegExp(`\\b(list|detail)\\('${resource}'`))
    expect(resources.filter((resource) => uses(resource).length === 0)).toEqual([])
  })
})

describe('what is asked again', () => {
  it('is decided by the registry alone', () => {
    const words = /\b(invalidate|reset|refetch|remove)Queries\b/
    expect(saying(words, 'api/live/refresh.ts', 'api/session.ts')).toEqual([])
  })

  it('is something for each kind that the stream tells of', () => {
    const file = readFileSync(resolve(src, '../../backend/openapi.json'), 'utf8')
    const kinds: LiveItem['kind'][] = JSON.parse(file).components.schemas.LiveKind.enum
    const isIdle = (kind: LiveItem['kind']) =>
      !resources.some((resource) => touches(kind, list(resource)))
    expect(kinds.filter(isIdle)).toEqual([])
  })

  it.each(['undo', 'foreign', 'latency', 'virtual-drives', 'operations'] as const)(
    'includes %s after a command of this tab',
    (resource) => {
      const key = detail(resource, 'any')
      expect(COMMAND_CAUSES.some((cause) => touches(cause, key))).toBe(true)
    },
  )

  it('includes the list of what was deleted when a virtual drive goes in another tab', () => {
    expect(touches('virtual_drive', detail('undo', 'c0'), 'v1')).toBe(true)
    expect(touches('drive_group', detail('undo', 'c0'), 'g1')).toBe(true)
  })

  it('is of an object its own detail, and any list', () => {
    expect(touches('drive', detail('drives', 'd1'), 'd1')).toBe(true)
    expect(touches('drive', detail('drives', 'd2'), 'd1')).toBe(false)
    expect(touches('drive', list('drives', 'h1'), 'd1')).toBe(true)
    expect(touches('drive', detail('bad-blocks', 'd1'), 'd1')).toBe(true)
    expect(touches('drive', list('hosts'), 'd1')).toBe(false)
  })
})
