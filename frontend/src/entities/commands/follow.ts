import { type QueryClient, QueryObserver } from '@tanstack/react-query'
import { commandQuery } from '@/api/commands'
import type { Command } from '@/api/types'
import { word } from '@/entities/states/words'
import { reasonText } from '@/lib/told'

/** The host did not do it. The command says what became of it. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly command: Command

  constructor(command: Command) {
    super(command.reason ? reasonText(command.reason) : word('commandState', command.state))
    this.command = command
  }
}

/** Waits for the end of a command, told by the stream; the command itself has an expiry. */
export function followCommand(client: QueryClient, command: Command): Promise<Command> {
  if (command.finished) return Promise.resolve(command)
  const options = commandQuery(command.id)
  client.setQueryData(options.queryKey, command)
  return new Promise((resolve) => {
    const observer = new QueryObserver(client, options)
    const stop = observer.subscribe(({ data }) => {
      if (!data?.finished) return
      stop()
      resolve(data)
    })
  })
}

export async function finishCommand(client: QueryClient, command: Command): Promise<Command> {
  const ended = await followCommand(client, command)
  if (ended.state !== 'succeeded') throw new CommandError(ended)
  return ended
}
