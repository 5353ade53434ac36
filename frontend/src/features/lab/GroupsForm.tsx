import { Group, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LabCatalogue } from '@/api/types'
import { ActionButton } from '@/ui/ActionButton'
import { Panel } from '@/ui/Panel'
import { CacheSelect, ControllerSelect, EffortSelect, ExpanderSelect } from './ControllerFields'
import { GroupCard } from './GroupCard'
import { EXAMPLE, freeName, GROUPS_MAX, groupText, type SideGroup } from './group-text'
import { nameOf } from './groups-scenario'
import classes from './Lab.module.css'
import type { LabChoices, LabSearch } from './search'

interface GroupsFormProps {
  choices: LabChoices
  groups: SideGroup[]
  catalogue: LabCatalogue
  canRun: boolean
  onChange: (change: LabSearch) => void
  onRun: () => void
}

export function GroupsForm(props: GroupsFormProps) {
  const { t } = useTranslation()
  const { choices, groups, catalogue, canRun, onChange, onRun } = props
  const controller = catalogue.controllers.find(({ name }) => name === choices.controller)
  const fullReason =
    groups.length >= GROUPS_MAX ? t('lab.groups.full', { max: GROUPS_MAX }) : undefined
  const lastReason = groups.length === 1 ? t('lab.groups.last') : undefined
  const set = (next: SideGroup[]) => onChange({ groups: next.map(groupText) })
  const copyOf = (group: SideGroup) => ({ ...group, name: freeName(group.name, groups) })
  return (
    <Panel title={t('lab.groups.form')}>
      <Stack gap="md">
        <p className={classes.muted}>{t('lab.groups.hint')}</p>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
          <ControllerSelect {...props} />
          <CacheSelect {...props} />
          <ExpanderSelect {...props} />
          <EffortSelect {...props} of="groupEfforts" />
        </SimpleGrid>
        {controller &&
          groups.map((group, index) => (
            <GroupCard
              // biome-ignore lint/suspicious/noArrayIndexKey: a name may be given twice
              key={index}
              group={group}
              name={nameOf(group, index)}
              choices={choices}
              catalogue={catalogue}
              controller={controller}
              fullReason={fullReason}
              lastReason={lastReason}
              onChange={(next) => set(groups.with(index, next))}
              onDuplicate={() => set(groups.toSpliced(index + 1, 0, copyOf(group)))}
              onRemove={() => set(groups.toSpliced(index, 1))}
            />
          ))}
        <Group gap="sm">
          <ActionButton size="md" disabled={!canRun} onClick={onRun}>
            {t('lab.simulate')}
          </ActionButton>
          <ActionButton
            size="md"
            variant="default"
            blockedReason={fullReason}
            onClick={() => set([...groups, ...EXAMPLE.slice(0, 1).map(copyOf)])}
          >
            {t('lab.groups.add')}
          </ActionButton>
        </Group>
      </Stack>
    </Panel>
  )
}
