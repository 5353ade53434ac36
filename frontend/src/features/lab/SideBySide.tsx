import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { word } from '@/entities/states/words'
import { EmptyState } from '@/ui/EmptyState'
import { Notice } from '@/ui/Notice'
import { GroupsForm } from './GroupsForm'
import { GroupsResult } from './GroupsResult'
import { groupsOf } from './group-text'
import { nameOf, toGroupsScenario } from './groups-scenario'
import { LabRun } from './LabRun'
import { moreLoad } from './more-loads'
import { SavedList } from './SavedList'
import { choicesOf, type LabSearch } from './search'

interface SideBySideProps {
  catalogue: LabCatalogue
  search: LabSearch
  onSearchChange: (change: LabSearch) => void
}

/** Several groups of one controller at the same time, and what they take from each other. */
export function SideBySide({ catalogue, search, onSearchChange }: SideBySideProps) {
  const { t } = useTranslation()
  const choices = choicesOf(search)
  const groups = groupsOf(search.groups)
  const scenario = toGroupsScenario(choices, groups, catalogue)
  const isRun = search.run === 'yes'
  return (
    <>
      <GroupsForm
        choices={choices}
        groups={groups}
        catalogue={catalogue}
        canRun={scenario !== undefined && !isRun}
        // What was simulated is not what stands there any more.
        onChange={(change) => onSearchChange({ ...change, run: undefined })}
        onRun={() => onSearchChange({ run: 'yes' })}
      />
      {!scenario && (
        <Notice tone="warn">
          <p>{t('lab.unknown')}</p>
        </Notice>
      )}
      {scenario && isRun ? (
        <LabRun key={JSON.stringify(scenario)} scenario={scenario}>
          {(prediction, version) => (
            <GroupsResult
              prediction={prediction}
              version={version}
              scenario={scenario}
              patterns={groups.map(
                ({ load }) => moreLoad(load, catalogue)?.load.pattern ?? 'random',
              )}
            />
          )}
        </LabRun>
      ) : (
        <EmptyState kind="none-yet" title={t('lab.notYet')}>
          {t('lab.groups.notYetText')}
        </EmptyState>
      )}
      <SavedList
        catalogue={catalogue}
        scenario={scenario}
        suggestion={groups
          .map((group, index) =>
            t('lab.groups.suggestion', {
              name: nameOf(group, index),
              level: word('raidLevel', group.level),
              count: group.count,
            }),
          )
          .join(', ')}
      />
    </>
  )
}
