import { word } from '@/entities/states/words'
import { problemOf } from '@/lib/problem'
import { Notice } from '@/ui/Notice'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { CommandError } from './follow'

/** Why a change did not happen: refused by the server, or by the host. */
export function ChangeFailure({ error }: { error: Error | null }) {
  if (error === null) return null
  if (error instanceof CommandError) {
    const { state } = error.command
    return (
      <Notice
        tone={state === 'indeterminate' ? 'crit' : 'warn'}
        title={word('commandState', state)}
        live
      >
        <p>{error.message}</p>
      </Notice>
    )
  }
  return <ProblemNotice problem={problemOf(error)} />
}
