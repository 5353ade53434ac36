import { useSyncExternalStore } from 'react'
import { type LabSearch, readLabSearch } from './search'

/** Comparisons that this browser keeps: the choices, not the figures; those come again. */
export interface Saved {
  name: string
  search: LabSearch
}

const KEY = 'arraywright.lab'
const KEPT_MAX = 20
const listeners = new Set<() => void>()
let seen: { text: string | null; list: Saved[] } = { text: null, list: [] }

function isEntry(entry: unknown): entry is { name: string; search: Record<string, unknown> } {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'name' in entry &&
    typeof entry.name === 'string' &&
    'search' in entry &&
    typeof entry.search === 'object' &&
    entry.search !== null
  )
}

function parse(text: string | null): Saved[] {
  try {
    const entries: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(entries)) return []
    return entries
      .filter(isEntry)
      .map(({ name, search }) => ({ name, search: readLabSearch(search) }))
  } catch {
    return []
  }
}

function read(): Saved[] {
  const text = localStorage.getItem(KEY)
  if (text !== seen.text) seen = { text, list: parse(text) }
  return seen.list
}

function write(list: Saved[]) {
  localStorage.setItem(KEY, JSON.stringify(list.slice(0, KEPT_MAX)))
  for (const listener of listeners) listener()
}

export function keep(saved: Saved) {
  write([saved, ...read().filter(({ name }) => name !== saved.name)])
}

export function forget(name: string) {
  write(read().filter((saved) => saved.name !== name))
}

export function useSaved(): Saved[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, read)
}
