import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { type EventFilter, recentEventsQuery } from '@/api/activity'
import { DataTable } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { eventColumns } from './event-columns'

/** The newest few events of a host or object, on its page. */
export function RecentEvents({ filter }: { filter: EventFilter }) {
  const { t } = useTranslation()
  const events = useQuery(recentEventsQuery(filter))
  return (
    <Panel
      title={t('event.recent')}
      flush
      aside={
        filter.host_id && (
          <Link to="/events" search={{ host: filter.host_id }}>
            {t('event.all')}
          </Link>
        )
      }
    >
      <Loaded query={events} rows={2}>
        {(page) => (
          <DataTable
            label={t('event.recent')}
            columns={eventColumns(false)}
            rows={page.items}
            rowId={(event) => event.id}
            empty={<EmptyState kind="none-yet" title={t('event.none')} />}
          />
        )}
      </Loaded>
    </Panel>
  )
}
