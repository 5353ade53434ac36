import type { QueryClient } from '@tanstack/react-query'
import type { Command } from '@/api/types'
import { ProblemError } from '@/lib/problem'
import { CommandError, finishCommand } from './follow'

interface Sight<Seen> {
  /** What the user looked at when deciding. */
  seen: Seen
  /** The same object as it is now. */
  look: () => Promise<Seen>
  /** The part of it that the decision rests on. */
  basis: (object: Seen) => unknown
}

/** How often, and for how long, news of the host is waited for that it has refused a change for. */
const NEWS_MS = 100
const NEWS_TRIES = 50
/** Soon after a virtual drive was made or written, its revision moves several times in a second. */
const SENDS = 5

/**
 * Sends a change that rests on what the user has seen, and waits for its end. Health moves the
 * revision too (a finished initialization, say): if the change is refused for that, by the server or
 * by the host, whose news may still be on their way, and its basis is as it was, it is sent again
 * with the present revision, a few times at most. Any other difference is the user's to judge.
 */
export async function sendSeen<Seen extends { config_rev: string }>(
  client: QueryClient,
  request: (object: Seen) => Promise<Command>,
  { seen, look, basis }: Sight<Seen>,
): Promise<Command> {
  let present = seen
  for (let sends = 1; ; sends++) {
    try {
      return await finishCommand(client, await request(present))
    } catch (error) {
      if (!isStale(error) || sends === SENDS) throw error
      const next = await news(present.config_rev, look)
      const isSame = JSON.stringify(basis(next)) === JSON.stringify(basis(seen))
      if (!isSame || next.config_rev === present.config_rev) throw error
      present = next
    }
  }
}

function isStale(error: unknown): boolean {
  if (error instanceof CommandError) return error.command.reason?.code === 'stale_precondition'
  return error instanceof ProblemError && error.status === 412
}

/** The object as the server has it, once that is newer than `rev`. */
async function news<Seen extends { config_rev: string }>(
  rev: string,
  look: () => Promise<Seen>,
): Promise<Seen> {
  let present = await look()
  for (let i = 0; i < NEWS_TRIES && present.config_rev === rev; i++) {
    await new Promise((resolve) => setTimeout(resolve, NEWS_MS))
    present = await look()
  }
  return present
}
