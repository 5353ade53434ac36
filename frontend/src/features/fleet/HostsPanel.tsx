import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Host } from '@/api/types'
import { DataTable } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { Panel } from '@/ui/Panel'
import { SearchBox } from '@/ui/SearchBox'
import classes from './HostsPanel.module.css'
import { matchesFilter, matchesLabels, matchesText } from './health'
import { hostColumns } from './host-columns'
import { LabelFilter } from './LabelFilter'
import { FLEET_FILTERS, type FleetSearch } from './search'

interface HostsPanelProps {
  hosts: Host[]
  search: FleetSearch
  onSearchChange: (change: { [Key in keyof FleetSearch]: FleetSearch[Key] | undefined }) => void
}

/** More rows than this are of no use to a reader, and a burden to a browser. */
const ROWS_STEP = 200
const WORST_FIRST = 'health'

export function HostsPanel({ hosts, search, onSearchChange }: HostsPanelProps) {
  const { t } = useTranslation()
  const [rowsMax, setRowsMax] = useState(ROWS_STEP)
  const found = hosts.filter(
    (host) => matchesText(host, search.q) && matchesLabels(host, search.label),
  )
  const matching = found.filter((host) => matchesFilter(host, search.show))
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
            options={(['all', ...FLEET_FILTERS] as const).map((value) => ({
              value,
              label: t(`fleet.filter.${value}`),
              count: found.filter((host) =>
                matchesFilter(host, value === 'all' ? undefined : value),
              ).length,
            }))}
            onChange={(value) => onSearchChange({ show: value === 'all' ? undefined : value })}
          />
          <LabelFilter
            hosts={hosts}
            values={search.label ?? []}
            onChange={(label) => onSearchChange({ label: label.length > 0 ? label : undefined })}
          />
          <SearchBox
            label={t('fleet.searchLabel')}
            placeholder={t('fleet.searchPlaceholder')}
            value={search.q ?? ''}
            onChange={(q) => onSearchChange({ q: q || undefined })}
          />
        </div>
      }
    >
      <DataTable
        label={t('fleet.hosts')}
        columns={hostColumns()}
        rows={matching}
        rowId={(host) => host.id}
        rowsMax={rowsMax}
        sort={search.sort ?? WORST_FIRST}
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
      {matching.length > rowsMax && (
        <p className={classes.more}>
          {t('fleet.showing', { shown: rowsMax, total: matching.length })}{' '}
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => setRowsMax(rowsMax + ROWS_STEP)}
          >
            {t('common.loadMore')}
          </Button>
        </p>
      )}
    </Panel>
  )
}
