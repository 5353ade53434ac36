import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Pause, Play, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type EventFilter, fetchEvents } from '@/api/activity'
import { hostQuery } from '@/api/hosts'
import { eventColumns } from '@/entities/events/event-columns'
import { spanOf } from '@/lib/days'
import { useWords } from '@/lib/use-words'
import { CsvButton } from '@/ui/CsvButton'
import { DataTable } from '@/ui/DataTable'
import { DayRange } from '@/ui/DayRange'
import { EmptyState } from '@/ui/EmptyState'
import { Failure } from '@/ui/Failure'
import { FilterPills } from '@/ui/FilterPills'
import { ListEnd } from '@/ui/ListEnd'
import { Loading } from '@/ui/Loading'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'
import { SearchBox } from '@/ui/SearchBox'
import classes from './EventsPage.module.css'
import { EVENT_SEVERITIES, type EventsSearch } from './search'
import { type Feed, useFeed } from './use-feed'

interface EventsPageProps {
  search: EventsSearch
  onSearchChange: (change: { [Key in keyof EventsSearch]: EventsSearch[Key] | undefined }) => void
}

function toFilter(search: EventsSearch): EventFilter {
  return {
    ...(search.severity && { severity: search.severity }),
    ...(search.q && { q: search.q }),
    ...(search.host && { host_id: search.host }),
    ...spanOf(search),
  }
}

/** What programs look for: times, words and ids as the server has them. */
async function eventLines(filter: EventFilter) {
  const events = await fetchEvents(filter)
  return [
    ['at', 'host', 'severity', 'code', 'name', 'object_kind', 'object_id', 'text'],
    ...events.map((event) => [
      event.at,
      event.host_name,
      event.event_class,
      event.code,
      event.name,
      event.object_kind,
      event.object_id,
      event.text,
    ]),
  ]
}

export function EventsPage(props: EventsPageProps) {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('event.title')} subtitle={t('event.intro')} />
      <EventFeed {...props} />
    </>
  )
}

function EventFeed({ search, onSearchChange }: EventsPageProps) {
  const { t } = useTranslation()
  const q = useWords(search.q)
  const { query, feed } = useFeed(toFilter({ ...search, q: q ?? '' }))
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  return (
    <Panel
      title={t('event.title')}
      flush
      aside={<Tools search={search} onSearchChange={onSearchChange} feed={feed} />}
    >
      {feed.newCount > 0 && (
        <div className={classes.pill}>
          <Button size="compact-sm" radius="xl" onClick={feed.release}>
            {feed.isNewOpen
              ? t('event.newMany', { count: feed.newCount })
              : t('event.newCount', { count: feed.newCount })}
          </Button>
        </div>
      )}
      {query.isPending && <Loading />}
      {query.isError && !query.data && (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && (
        <DataTable
          label={t('event.title')}
          columns={eventColumns(search.host === undefined)}
          rows={feed.shown}
          rowId={(event) => event.id}
          empty={
            isFiltered ? (
              <EmptyState
                kind="none-match"
                title={t('common.noneMatch')}
                action={
                  <Button
                    variant="default"
                    onClick={() =>
                      onSearchChange({
                        severity: undefined,
                        q: undefined,
                        host: undefined,
                        from: undefined,
                        to: undefined,
                      })
                    }
                  >
                    {t('common.clearFilters')}
                  </Button>
                }
              />
            ) : (
              <EmptyState kind="none-yet" title={t('event.none')}>
                {t('event.noneText')}
              </EmptyState>
            )
          }
        />
      )}
      <ListEnd query={query} />
    </Panel>
  )
}

function Tools({ search, onSearchChange, feed }: EventsPageProps & { feed: Feed }) {
  const { t } = useTranslation()
  return (
    <>
      {search.host && (
        <HostFilter hostId={search.host} onClear={() => onSearchChange({ host: undefined })} />
      )}
      <FilterPills
        label={t('event.severityFilter')}
        value={search.severity ?? 'all'}
        options={(['all', ...EVENT_SEVERITIES] as const).map((value) => ({
          value,
          label: t(`event.severity.${value}`),
        }))}
        onChange={(value) => onSearchChange({ severity: value === 'all' ? undefined : value })}
      />
      <SearchBox
        label={t('event.search')}
        placeholder={t('common.search')}
        value={search.q ?? ''}
        onChange={(q) => onSearchChange({ q: q || undefined })}
      />
      <DayRange value={search} onChange={onSearchChange} />
      <CsvButton name="arraywright-events.csv" fetchLines={() => eventLines(toFilter(search))} />
      <Button
        variant={feed.isHeld ? 'filled' : 'default'}
        size="compact-sm"
        aria-pressed={feed.isHeld}
        leftSection={feed.isHeld ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
        onClick={feed.isHeld ? feed.release : feed.hold}
      >
        {feed.isHeld ? t('event.resume') : t('event.pause')}
      </Button>
    </>
  )
}

function HostFilter({ hostId, onClear }: { hostId: string; onClear: () => void }) {
  const { t } = useTranslation()
  const host = useQuery(hostQuery(hostId))
  return (
    <Button
      variant="default"
      size="compact-sm"
      rightSection={<X size={14} aria-hidden />}
      onClick={onClear}
    >
      {t('event.hostFilter', { name: host.data?.label ?? '…' })}
    </Button>
  )
}
