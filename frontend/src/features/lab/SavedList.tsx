import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { deleteScenario, savedQuery, saveScenario } from '@/api/lab'
import type { LabCatalogue, SavedScenario, Scenario } from '@/api/types'
import { word } from '@/features/states/words'
import { problemOf } from '@/lib/problem'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { showToast } from '@/ui/toasts'
import classes from './Lab.module.css'
import { searchOf } from './scenario'
import type { LabChoices } from './search'

const NAME_MAX = 120

interface SavedListProps {
  catalogue: LabCatalogue
  choices: LabChoices
  /** What would be saved; undefined while the choices name what is not known. */
  scenario: Scenario | undefined
}

/** One's own comparisons, kept on the server: what is simulated, not the figures. */
export function SavedList({ catalogue, choices, scenario }: SavedListProps) {
  const { t } = useTranslation()
  const saved = useQuery(savedQuery)
  const client = useQueryClient()
  const forget = useMutation({
    mutationFn: ({ id }: SavedScenario) => deleteScenario(id),
    onSettled: () => client.invalidateQueries({ queryKey: savedQuery.queryKey }),
  })
  return (
    <Panel title={t('lab.saved')}>
      {scenario && <SaveForm scenario={scenario} suggestion={nameOf(choices, catalogue)} />}
      {forget.error && <ProblemNotice problem={problemOf(forget.error)} />}
      <Loaded query={saved}>
        {(list) =>
          list.length === 0 ? (
            <p className={classes.muted}>{t('lab.savedNone')}</p>
          ) : (
            <ul className={classes.saved}>
              {list.map((each) => (
                <li key={each.id}>
                  <Link to="/lab" search={searchOf(each.scenario)}>
                    {each.name}
                  </Link>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('lab.savedDelete', { name: each.name })}
                    disabled={forget.isPending}
                    onClick={() => forget.mutate(each)}
                  >
                    <X size={16} aria-hidden />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function nameOf(choices: LabChoices, catalogue: LabCatalogue): string {
  const load = catalogue.workloads.find(({ name }) => name === choices.load)
  const drive = catalogue.drives.find(({ name }) => name === choices.drive)
  const levels = choices.levels.map((level) => word('raidLevel', level)).join(' / ')
  const drives = `${choices.counts.join('/')} × ${drive?.model ?? choices.drive}`
  return `${load?.title ?? choices.load}, ${levels}, ${drives}`.slice(0, NAME_MAX)
}

function SaveForm({ scenario, suggestion }: { scenario: Scenario; suggestion: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [typed, setTyped] = useState<string>()
  const name = (typed ?? suggestion).trim()
  const save = useMutation({
    mutationFn: () => saveScenario({ name, scenario }),
    onSuccess: () => {
      setTyped(undefined)
      showToast(t('lab.savedDone', { name }))
    },
    onSettled: () => client.invalidateQueries({ queryKey: savedQuery.queryKey }),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (name !== '') save.mutate()
  }
  return (
    <form onSubmit={submit} className={classes.saving}>
      <Group align="end" gap="sm">
        <TextInput
          className={classes.savedName}
          label={t('lab.saveAs')}
          maxLength={NAME_MAX}
          value={typed ?? suggestion}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={save.isPending}>
          {t('lab.save')}
        </Button>
      </Group>
      {save.error && <ProblemNotice problem={problemOf(save.error)} />}
    </form>
  )
}
