import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { word } from '@/entities/states/words'
import { EmptyState } from '@/ui/EmptyState'
import { Notice } from '@/ui/Notice'
import { LabForm } from './LabForm'
import { LabResult } from './LabResult'
import { LabRun } from './LabRun'
import { SavedList } from './SavedList'
import { toScenario } from './scenario'
import { choicesOf, type LabChoices, type LabSearch } from './search'

interface CompareProps {
  catalogue: LabCatalogue
  search: LabSearch
  onSearchChange: (change: LabSearch) => void
}

/** Arrays next to each other, each by itself under the same load. */
export function Compare({ catalogue, search, onSearchChange }: CompareProps) {
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
        <LabRun key={JSON.stringify(scenario)} scenario={scenario}>
          {(prediction, version) => (
            <LabResult
              prediction={prediction}
              version={version}
              scenario={scenario}
              workload={workload}
              step={search.step}
              onStepChange={(step) => onSearchChange({ step })}
            />
          )}
        </LabRun>
      ) : (
        <EmptyState kind="none-yet" title={t('lab.notYet')}>
          {t('lab.notYetText')}
        </EmptyState>
      )}
      <SavedList
        catalogue={catalogue}
        scenario={scenario}
        suggestion={suggestionOf(choices, catalogue)}
      />
    </>
  )
}

function suggestionOf(choices: LabChoices, catalogue: LabCatalogue): string {
  const load = catalogue.workloads.find(({ name }) => name === choices.load)
  const drive = catalogue.drives.find(({ name }) => name === choices.drive)
  const levels = choices.levels.map((level) => word('raidLevel', level)).join(' / ')
  const drives = `${choices.counts.join('/')} × ${drive?.model ?? choices.drive}`
  return `${load?.title ?? choices.load}, ${levels}, ${drives}`
}
