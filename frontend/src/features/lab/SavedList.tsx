import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { deleteScenario, savedQuery, saveScenario } from '@/api/lab'
import { caused } from '@/api/live/caused'
import type { AnyScenario, LabCatalogue, SavedScenario } from '@/api/types'
import { problemOf } from '@/lib/problem'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { showToast } from '@/ui/toasts'
import { groupsSearchOf } from './groups-scenario'
import classes from './Lab.module.css'
import { searchOf } from './scenario'

const NAME_MAX = 120

interface SavedListProps {
  catalogue: LabCatalogue
  /** What would be saved; undefined while the choices name what is not known. */
  scenario: AnyScenario | undefined
  /** What it may be called. */
  suggestion: string
}

/** One's own comparisons, of both kinds, kept on the server: what is simulated, not the figures. */
export function SavedList({ catalogue, scenario, suggestion }: SavedListProps) {
  const { t } = useTranslation()
  const saved = useQuery(savedQuery)
  const client = useQueryClient()
  const forget = useMutation({
    mutationFn: ({ id }: SavedScenario) => deleteScenario(id),
    onSettled: () => caused(client, 'saved_scenario'),
  })
  return (
    <Panel title={t('lab.saved')}>
      {scenario && <SaveForm scenario={scenario} suggestion={suggestion.slice(0, NAME_MAX)} />}
      {forget.error && <ProblemNotice problem={problemOf(forget.error)} />}
      <Loaded query={saved}>
        {(list) =>
          list.length === 0 ? (
            <p className={classes.muted}>{t('lab.savedNone')}</p>
          ) : (
            <ul className={classes.saved}>
              {list.map((each) => (
                <li key={each.id}>
                  <Link
                    to="/lab"
                    search={
                      'groups' in each.scenario
                        ? groupsSearchOf(each.scenario, catalogue)
                        : searchOf(each.scenario)
                    }
                  >
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

function SaveForm({ scenario, suggestion }: { scenario: AnyScenario; suggestion: string }) {
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
    onSettled: () => caused(client, 'saved_scenario'),
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
