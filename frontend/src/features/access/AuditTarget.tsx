import type { AuditEntry } from '@/api/types'
import { ObjectLink } from '@/entities/objects/ObjectLink'
import { word } from '@/entities/states/words'

/** What an entry is about: by name, with the way there; entries of earlier versions say only its key. */
export function AuditTarget({ entry: { action, target, detail } }: { entry: AuditEntry }) {
  const { target_id: id, host_id: host, name } = detail
  const [kind = ''] = target.split(' ')
  if (id !== undefined) {
    const words = name === undefined ? word('objectKind', kind) : name
    return (
      <>
        <ObjectLink kind={kind} id={id} text={words} />
        {detail.host && ` (${detail.host})`}
      </>
    )
  }
  if (host !== undefined && action.startsWith('host.')) {
    return <ObjectLink kind="host" id={host} text={target} />
  }
  return <>{target || '–'}</>
}
