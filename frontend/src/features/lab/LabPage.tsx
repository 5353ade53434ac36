import '@/locales/later/lab'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { catalogueQuery } from '@/api/lab'
import type { LabCatalogue } from '@/api/types'
import { problemOf } from '@/lib/problem'
import { EmptyState } from '@/ui/EmptyState'
import { Loading } from '@/ui/Loading'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { PanelStack } from '@/ui/Panel'
import { LabForm } from './LabForm'
import { LabRun } from './LabRun'
import { MeasurePanel } from './MeasurePanel'
import { SavedList } from './SavedList'
import { toScenario } from './scenario'
import { choicesOf, type LabSearch } from './search'

interface LabPageProps {
  search: LabSearch
  onSearchChange: (change: LabSearch) => void
}

export function LabPage({ search, onSearchChange }: LabPageProps) {
  const { t } = useTranslation()
  const catalogue = useQuery(catalogueQuery)
  return (
    <>
      <PageHeader title={t('lab.title')} subtitle={t('lab.subtitle')} />
      <PanelStack>
        {catalogue.isPending && <Loading />}
        {catalogue.error && (
          <Notice tone="warn" title={t('lab.unavailable')}>
            <p>{problemOf(catalogue.error).detail ?? problemOf(catalogue.error).title}</p>
          </Notice>
        )}
        {catalogue.data && (
          <Compare catalogue={catalogue.data} search={search} onSearchChange={onSearchChange} />
        )}
        <MeasurePanel search={search} onSearchChange={onSearchChange} />
      </PanelStack>
    </>
  )
}

interface CompareProps extends LabPageProps {
  catalogue: LabCatalogue
}

function Compare({ catalogue, search, onSearchChange }: CompareProps) {
  const { t } = useTranslation()
  const choices = choicesOf(search)
  const scenario = toScenario(choices, catalogue)
  const workload = catalogue.workloads.find(({ name }) => name === choices.load)
  const isRun = search.run === 'yes'
  return (
    <>
      <LabForm
        choices={choices}
        catalogue={catalogue}
        canRun={scenario !== undefined && !isRun}
        // What was simulated is not what stands there any more.
        onChange={(change) => onSearchChange({ ...change, run: undefined, step: undefined })}
        onRun={() => onSearchChange({ run: 'yes' })}
      />
      {!scenario && (
        <Notice tone="warn">
          <p>{t('lab.unknown')}</p>
        </Notice>
      )}
      {scenario && workload && isRun ? (
        <LabRun
          key={JSON.stringify(scenario)}
          scenario={scenario}
          workload={workload}
          step={search.step}
          onStepChange={(step) => onSearchChange({ step })}
        />
      ) : (
        <EmptyState kind="none-yet" title={t('lab.notYet')}>
          {t('lab.notYetText')}
        </EmptyState>
      )}
      <SavedList catalogue={catalogue} choices={choices} scenario={scenario} />
    </>
  )
}
