import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { alertCountQuery, alertListQuery } from '@/api/activity'
import type { AlertState } from '@/api/types'
import { AlertItem } from '@/entities/alerts/AlertItem'
import classes from '@/entities/alerts/AlertItem.module.css'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { LoadedPages } from '@/ui/LoadedPages'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'
import { ALERT_STATES, type AlertsSearch } from './alerts-search'

interface AlertsPageProps {
  search: AlertsSearch
  onState: (state: AlertState) => void
}

export function AlertsPage({ search, onState }: AlertsPageProps) {
  const { t } = useTranslation()
  const state = search.state ?? 'open'
  const alerts = useInfiniteQuery(alertListQuery(state))
  const counts = useQueries({ queries: ALERT_STATES.map(alertCountQuery) })
  return (
    <>
      <PageHeader title={t('alert.title')} subtitle={t('alert.intro')} />
      <Panel
        title={t(`alert.state.${state}`)}
        flush
        aside={
          <FilterPills
            label={t('alert.filterLabel')}
            value={state}
            options={ALERT_STATES.map((value, index) => ({
              value,
              label: t(`alert.state.${value}`),
              count: counts[index]?.data ?? undefined,
            }))}
            onChange={onState}
          />
        }
      >
        <LoadedPages query={alerts}>
          {(items) =>
            items.length === 0 ? (
              <EmptyState kind="none-yet" title={t(`alert.none.${state}`)}>
                {state === 'open' && t('alert.noneText')}
              </EmptyState>
            ) : (
              <ul className={classes.list}>
                {items.map((alert) => (
                  <AlertItem key={alert.id} alert={alert} />
                ))}
              </ul>
            )
          }
        </LoadedPages>
      </Panel>
    </>
  )
}
