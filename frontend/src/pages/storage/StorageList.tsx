import { Button } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { PageOf } from '@/api/types'
import type { Column } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { PagedTable } from '@/ui/PagedTable'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'
import { SearchBox } from '@/ui/SearchBox'
import type { ListSearch, ListSearchChange } from './search'

type Kind = 'drives' | 'groups' | 'virtualDrives' | 'batteries'

interface StorageListProps<Row, Show extends string> {
  kind: Kind
  shows: { value: Show; label: string }[]
  columns: Column<Row>[]
  query: UseInfiniteQueryResult<InfiniteData<PageOf<Row>>>
  search: ListSearch<Show>
  onSearchChange: ListSearchChange<Show>
}

const BY_HOST = 'host'

/** One kind of thing of all hosts. */
export function StorageList<Row extends { id: string; online: boolean }, Show extends string>(
  props: StorageListProps<Row, Show>,
) {
  const { kind, search, onSearchChange } = props
  const { t } = useTranslation()
  const title = t(`storageList.${kind}.title`)
  const isFiltered = search.q !== undefined || search.show !== undefined
  return (
    <>
      <PageHeader title={title} subtitle={t(`storageList.${kind}.intro`)} />
      <Panel
        title={t('storageList.all')}
        flush
        aside={
          <>
            <FilterPills<Show | 'all'>
              label={t('storageList.filter')}
              value={search.show ?? 'all'}
              options={[{ value: 'all', label: t('storageList.show.all') }, ...props.shows]}
              onChange={(show) => onSearchChange({ show: show === 'all' ? undefined : show })}
            />
            <SearchBox
              label={t(`storageList.${kind}.search`)}
              placeholder={t(`storageList.${kind}.placeholder`)}
              value={search.q ?? ''}
              onChange={(q) => onSearchChange({ q: q || undefined })}
            />
          </>
        }
      >
        <PagedTable
          label={title}
          columns={props.columns}
          query={props.query}
          rowId={(row) => row.id}
          sort={search.sort ?? BY_HOST}
          onSortChange={(sort) => onSearchChange({ sort })}
          rowTone={(row) => (row.online ? undefined : 'dim')}
          empty={
            isFiltered ? (
              <EmptyState
                kind="none-match"
                title={t('common.noneMatch')}
                action={
                  <Button
                    variant="default"
                    onClick={() => onSearchChange({ q: undefined, show: undefined })}
                  >
                    {t('common.clearFilters')}
                  </Button>
                }
              />
            ) : (
              <EmptyState kind="none-yet" title={t(`storageList.${kind}.none`)} />
            )
          }
        />
      </Panel>
    </>
  )
}
