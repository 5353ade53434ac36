import type { Command } from '@/api/types'
import { ProblemError } from '@/lib/problem'

interface Sight<Seen> {
  /** What the user looked at when deciding. */
  seen: Seen
  /** The same object as it is now. */
  look: () => Promise<Seen>
  /** The part of it that the decision rests on. */
  basis: (object: Seen) => unknown
}

/**
 * Sends a change that rests on what the user has seen. Health moves the revision too (a finished
 * initialisation, say): if the change is refused for that (412) and its basis is as it was, it is
 * sent once more with the present revision. Any other difference is the user's to judge.
 */
export async function sendSeen<Seen>(
  request: (object: Seen) => Promise<Command>,
  { seen, look, basis }: Sight<Seen>,
): Promise<Command> {
  try {
    return await request(seen)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 412) throw error
    const present = await look()
    if (JSON.stringify(basis(present)) !== JSON.stringify(basis(seen))) throw error
    return request(present)
  }
}
