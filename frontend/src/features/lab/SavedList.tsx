import { ActionIcon, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { word } from '@/features/states/words'
import { Panel } from '@/ui/Panel'
import classes from './Lab.module.css'
import { forget, keep, useSaved } from './saved'
import { choicesOf, type LabSearch } from './search'

interface SavedListProps {
  catalogue: LabCatalogue
  search: LabSearch
}

export function SavedList({ catalogue, search }: SavedListProps) {
  const { t } = useTranslation()
  const saved = useSaved()
  const choices = choicesOf(search)
  const name = t('lab.savedName', {
    load: catalogue.workloads.find((each) => each.name === choices.load)?.title ?? choices.load,
    levels: choices.levels.map((level) => word('raidLevel', level)).join(' / '),
    drive: `${choices.counts.join('/')} × ${
      catalogue.drives.find((each) => each.name === choices.drive)?.model ?? choices.drive
    }`,
  })
  return (
    <Panel
      title={t('lab.saved')}
      aside={
        <Button variant="default" size="xs" onClick={() => keep({ name, search })}>
          {t('lab.save')}
        </Button>
      }
    >
      {saved.length === 0 && <p className={classes.muted}>{t('lab.savedNone')}</p>}
      <ul className={classes.saved}>
        {saved.map((each) => (
          <li key={each.name}>
            <Link to="/lab" search={each.search}>
              {each.name}
            </Link>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('lab.savedForget', { name: each.name })}
              onClick={() => forget(each.name)}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
