import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { operationListQuery } from '@/api/activity'
import { OperationsList } from '@/entities/operations/OperationsList'
import { EmptyState } from '@/ui/EmptyState'
import { FilterPills } from '@/ui/FilterPills'
import { LoadedPages } from '@/ui/LoadedPages'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'

export interface OperationsSearch {
  show?: 'ended'
}

interface OperationsPageProps {
  search: OperationsSearch
  onShow: (show: 'ended' | undefined) => void
}

export function OperationsPage({ search, onShow }: OperationsPageProps) {
  const { t } = useTranslation()
  const isEnded = search.show === 'ended'
  const operations = useInfiniteQuery(operationListQuery({ active: !isEnded }))
  return (
    <>
      <PageHeader title={t('operation.title')} subtitle={t('operation.intro')} />
      <Panel
        title={isEnded ? t('operation.ended') : t('operation.active')}
        aside={
          <FilterPills
            label={t('operation.filterLabel')}
            value={isEnded ? 'ended' : 'active'}
            options={[
              { value: 'active', label: t('operation.active') },
              { value: 'ended', label: t('operation.ended') },
            ]}
            onChange={(value) => onShow(value === 'ended' ? 'ended' : undefined)}
          />
        }
      >
        <LoadedPages query={operations}>
          {(items) =>
            items.length === 0 ? (
              <EmptyState
                kind="none-yet"
                title={isEnded ? t('operation.noneEnded') : t('operation.none')}
              >
                {!isEnded && t('operation.noneText')}
              </EmptyState>
            ) : (
              <OperationsList operations={items} empty="" withHost />
            )
          }
        </LoadedPages>
      </Panel>
    </>
  )
}
