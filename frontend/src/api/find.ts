import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'
import { list, type Resource } from './registry'
import type { PageOf } from './types'

/** Something that was looked for by a part of its name, place or serial number. */
export interface Found {
  id: string
  /** What it is called. */
  title: string
  /** Where it is, and what else tells it from others. */
  details: string[]
}

/** So many of each kind; the lists show the others. */
export const FOUND_MAX = 6
/** Shorter words are no part of the server's index: it would read everything. */
export const SHORTEST = 3

export const FOUND_KINDS = [
  'hosts',
  'virtual-drives',
  'drives',
  'drive-groups',
  'batteries',
] as const
export type FoundKind = (typeof FOUND_KINDS)[number]

const asked = (q: string, fields: string) => ({ q, fields, limit: FOUND_MAX })

const ASK: Record<FoundKind, (q: string, signal: AbortSignal) => Promise<PageOf<Found>>> = {
  hosts: (q, signal) =>
    found(
      unwrap(api.GET('/api/v1/hosts', { params: { query: asked(q, 'label,labels') }, signal })),
      ({ id, label, labels }) => ({ id, title: label, details: labels }),
    ),
  'virtual-drives': (q, signal) =>
    found(
      unwrap(
        api.GET('/api/v1/virtual-drives', {
          params: { query: asked(q, 'name,path,host_name') },
          signal,
        }),
      ),
      ({ id, name, path, host_name }) => ({ id, title: name || path, details: [host_name, path] }),
    ),
  drives: (q, signal) =>
    found(
      unwrap(
        api.GET('/api/v1/drives', {
          params: { query: asked(q, 'path,serial,model,host_name') },
          signal,
        }),
      ),
      ({ id, path, serial, model, host_name }) => ({
        id,
        title: path,
        details: [host_name, serial, model],
      }),
    ),
  'drive-groups': (q, signal) =>
    found(
      unwrap(
        api.GET('/api/v1/drive-groups', { params: { query: asked(q, 'path,host_name') }, signal }),
      ),
      ({ id, path, host_name }) => ({ id, title: path, details: [host_name] }),
    ),
  batteries: (q, signal) =>
    found(
      unwrap(
        api.GET('/api/v1/batteries', {
          params: { query: asked(q, 'path,model,host_name') },
          signal,
        }),
      ),
      ({ id, path, model, host_name }) => ({ id, title: path, details: [host_name, model] }),
    ),
}

async function found<Item>(
  page: Promise<PageOf<Item>>,
  toFound: (item: Item) => Found,
): Promise<PageOf<Found>> {
  const { items, ...rest } = await page
  return { ...rest, items: items.map(toFound) }
}

export const foundQuery = (kind: FoundKind, q: string) =>
  queryOptions({
    queryKey: list(kind satisfies Resource, { found: q }),
    queryFn: ({ signal }) => ASK[kind](q, signal),
    enabled: q.length >= (kind === 'hosts' ? 1 : SHORTEST),
    gcTime: 30_000,
  })
