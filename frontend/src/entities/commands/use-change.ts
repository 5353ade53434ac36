import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { commandEnded } from '@/api/live/caused'
import type { Command } from '@/api/types'
import { ProblemError } from '@/lib/problem'
import { showToast } from '@/ui/toasts'
import { finishCommand } from './follow'

export interface ChangeOptions {
  /** Said when the host has done it. */
  done: string
  onDone?: (command: Command) => void
}

export type Change<Args> = UseMutationResult<Command, Error, Args>

/**
 * One change of a host from click to outcome: pending until the host has answered, an error if it
 * refused or failed. After a lost race (412) the present state is fetched, so that the user sees it.
 */
export function useChange<Args>(
  request: (args: Args) => Promise<Command>,
  { done, onDone }: ChangeOptions,
): Change<Args> {
  const client = useQueryClient()

  return useMutation({
    mutationFn: async (args: Args) => finishCommand(client, await request(args)),
    onSuccess: (command) => {
      void commandEnded(client)
      showToast(done)
      onDone?.(command)
    },
    onError: (error) => {
      if (!(error instanceof ProblemError) || [404, 409, 412].includes(error.status)) {
        void commandEnded(client)
      }
    },
  })
}
