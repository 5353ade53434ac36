import type { QueryClient } from '@tanstack/react-query'
import { type Cause, COMMAND_CAUSES, touches } from '../registry'
import { refresh } from './refresh'

/** Asks again for all that these causes touch, whatever its revision. */
export function caused(client: QueryClient, ...causes: Cause[]): Promise<void> {
  return refresh(client, ({ queryKey }) => causes.some((cause) => touches(cause, queryKey)))
}

/** After a command of this tab has ended. */
export const commandEnded = (client: QueryClient) => caused(client, ...COMMAND_CAUSES)
