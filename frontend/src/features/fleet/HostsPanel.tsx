import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hostCountQuery, hostListQuery } from '@/api/hosts'
import { useWords } from '@/lib/use-words'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { PagedTable } from '@/ui/PagedTable'
import { Panel } from '@/ui/Panel'
import { SearchBox } from '@/ui/SearchBox'
import classes from './HostsPanel.module.css'
import { hostColumns } from './host-columns'
import { LabelFilter } from './LabelFilter'
import { askedOf, FLEET_FILTERS, type FleetSearch, sortOf } from './search'

interface HostsPanelProps {
  search: FleetSearch
  onSearchChange: (change: { [Key in keyof FleetSearch]: FleetSearch[Key] | undefined }) => void
}

const SHOWS = ['all', ...FLEET_FILTERS] as const

export function HostsPanel({ search, onSearchChange }: HostsPanelProps) {
  const { t } = useTranslation()
  const q = useWords(search.q)
  const asked = { ...askedOf(search, q, search.show), sort: sortOf(search) }
  const hosts = useInfiniteQuery({ ...hostListQuery(asked), placeholderData: keepPreviousData })
  const counts = useQueries({
    queries: SHOWS.map((show) =>
      hostCountQuery(askedOf(search, q, show === 'all' ? undefined : show)),
    ),
  })
  const shown = hosts.data?.pages.flatMap((page) => page.items) ?? []
  const clear = () => onSearchChange({ q: undefined, show: undefined, label: undefined })

  return (
    <Panel
      title={t('fleet.hosts')}
      flush
      aside={
        <div className={classes.tools}>
          <FilterPills
            label={t('fleet.filterLabel')}
            value={search.show ?? 'all'}
            options={SHOWS.map((value, index) => ({
              value,
              label: t(`fleet.filter.${value}`),
              count: counts[index]?.data ?? undefined,
            }))}
            onChange={(value) => onSearchChange({ show: value === 'all' ? undefined : value })}
          />
          <LabelFilter
            hosts={shown}
            values={search.label ?? []}
            onChange={(label) => onSearchChange({ label: label.length > 0 ? label : undefined })}
          />
          <SearchBox
            label={t('fleet.searchLabel')}
            placeholder={t('fleet.searchPlaceholder')}
            value={search.q ?? ''}
            onChange={(words) => onSearchChange({ q: words || undefined })}
          />
        </div>
      }
    >
      <PagedTable
        label={t('fleet.hosts')}
        columns={hostColumns()}
        query={hosts}
        rowId={(host) => host.id}
        sort={sortOf(search)}
        onSortChange={(sort) => onSearchChange({ sort })}
        rowTone={(host) => (host.online ? undefined : 'dim')}
        empty={
          <EmptyState
            kind="none-match"
            title={t('common.noneMatch')}
            action={
              <Button variant="default" onClick={clear}>
                {t('common.clearFilters')}
              </Button>
            }
          />
        }
      />
    </Panel>
  )
}
