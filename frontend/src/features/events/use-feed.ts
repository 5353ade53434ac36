import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type EventFilter, eventsQuery } from '@/api/activity'
import type { Event } from '@/api/types'

export interface Feed {
  shown: Event[]
  /** Events above the first one shown. */
  newCount: number
  /** True if there may be more new ones than counted. */
  isNewOpen: boolean
  isHeld: boolean
  hold: () => void
  release: () => void
}

/** Splits what the server has from what the reader is looking at. */
export function splitFeed(events: Event[], heldId: string | null) {
  if (heldId === null) return { shown: events, newCount: 0, isNewOpen: false }
  const index = events.findIndex((event) => event.id === heldId)
  // The first event shown is so far down that it is not loaded any more.
  if (index < 0) return { shown: [], newCount: events.length, isNewOpen: true }
  return { shown: events.slice(index), newCount: index, isNewOpen: false }
}

/**
 * A feed that does not move rows under the reader: while it is held, new events are only counted.
 * The last view is kept, also when the held event has scrolled out of what is loaded.
 */
export function useFeed(filter: EventFilter) {
  // While somebody types, the last answer stays on the screen.
  const query = useInfiniteQuery({ ...eventsQuery(filter), placeholderData: keepPreviousData })
  const key = JSON.stringify(filter)
  const [hold, setHold] = useState<{ id: string; view: Event[]; key: string } | null>(null)
  // Another filter is another feed: what was held belongs to the old one.
  const held = hold?.key === key ? hold : null
  const events = query.data?.pages.flatMap((page) => page.items) ?? []
  const split = splitFeed(events, held?.id ?? null)
  const feed: Feed = {
    ...split,
    shown: held && split.isNewOpen ? held.view : split.shown,
    isHeld: held !== null,
    hold: () => {
      const first = events[0]
      if (first) setHold({ id: first.id, view: events, key })
    },
    release: () => setHold(null),
  }
  return { query, feed }
}
