import '@/locales/later/lab'
import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { catalogueQuery } from '@/api/lab'
import { problemDetail, problemOf } from '@/lib/problem'
import { Loading } from '@/ui/Loading'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { PanelStack } from '@/ui/Panel'
import { Compare } from './Compare'
import { MeasurePanel } from './MeasurePanel'
import { SideBySide } from './SideBySide'
import type { LabSearch } from './search'

interface LabPageProps {
  search: LabSearch
  onSearchChange: (change: LabSearch) => void
}

export function LabPage({ search, onSearchChange }: LabPageProps) {
  const { t } = useTranslation()
  const catalogue = useQuery(catalogueQuery)
  const View = search.view === 'groups' ? SideBySide : Compare
  return (
    <>
      <PageHeader title={t('lab.title')} subtitle={t('lab.subtitle')} />
      <PanelStack>
        <div>
          <SegmentedControl
            aria-label={t('lab.view')}
            value={search.view ?? 'arrays'}
            onChange={(value) =>
              onSearchChange({ view: value === 'groups' ? value : undefined, run: undefined })
            }
            data={(['arrays', 'groups'] as const).map((value) => ({
              value,
              label: t(`lab.views.${value}`),
            }))}
          />
        </div>
        {catalogue.isPending && <Loading />}
        {catalogue.error && (
          <Notice tone="warn" title={t('lab.unavailable')}>
            <p>{problemDetail(problemOf(catalogue.error))}</p>
          </Notice>
        )}
        {catalogue.data && (
          <View catalogue={catalogue.data} search={search} onSearchChange={onSearchChange} />
        )}
        {search.view === undefined && (
          <MeasurePanel search={search} onSearchChange={onSearchChange} />
        )}
      </PanelStack>
    </>
  )
}
