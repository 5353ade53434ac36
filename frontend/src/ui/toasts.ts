import { useSyncExternalStore } from 'react'

/** Short messages about what has just been done. Failures never go here: they stay at their form. */
export interface Toast {
  id: number
  message: string
}

const SHOWN_MAX = 3
const SHOWN_MS = 8_000

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Toast[]) {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function dismissToast(id: number) {
  set(toasts.filter((toast) => toast.id !== id))
}

export function showToast(message: string) {
  const id = nextId
  nextId += 1
  set([...toasts, { id, message }].slice(-SHOWN_MAX))
  setTimeout(() => dismissToast(id), SHOWN_MS)
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(subscribe, () => toasts)
}
