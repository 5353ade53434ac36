import { Link } from '@tanstack/react-router'
import type { Event } from '@/api/types'
import { ObjectLink } from '@/entities/objects/ObjectLink'
import { severityTones } from '@/entities/states/tones'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { eventText } from '@/lib/told'
import type { Column } from '@/ui/DataTable'
import { Timestamp } from '@/ui/Quantity'
import { Status } from '@/ui/Status'

export function eventColumns(withHost: boolean): Column<Event>[] {
  const host: Column<Event> = {
    id: 'host',
    header: i18n.t('event.columns.host'),
    cell: (event) => (
      <Link to="/hosts/$hostId" params={{ hostId: event.host_id }}>
        {event.host_name}
      </Link>
    ),
  }
  const object: Column<Event> = {
    id: 'object',
    header: i18n.t('event.columns.object'),
    wideOnly: true,
    cell: ({ object_kind: kind, object_id: id, params }) => (
      <ObjectLink kind={kind} id={id} text={params[kind] ?? word('objectKind', kind)} />
    ),
  }
  return [
    {
      id: 'time',
      header: i18n.t('event.columns.time'),
      cell: (event) => <Timestamp time={event.at} />,
    },
    {
      id: 'severity',
      header: i18n.t('event.columns.severity'),
      cell: (event) => (
        <Status tone={severityTones[event.event_class] ?? 'idle'}>
          {word('severity', event.event_class)}
        </Status>
      ),
    },
    ...(withHost ? [host, object] : []),
    {
      id: 'text',
      grow: true,
      header: i18n.t('event.columns.text'),
      cell: (event) => (
        <span title={i18n.t('event.number', { seq: event.seq, code: event.code })}>
          {eventText(event)}
        </span>
      ),
    },
  ]
}
