import { Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ControllerModel, LabCatalogue } from '@/api/types'
import { ActionButton } from '@/ui/ActionButton'
import { DriveSelect, StripSelect, WordSelect } from './ArrayFields'
import { IO_POLICIES, LEVELS, READ_POLICIES } from './array-words'
import { cacheOf, offeredPolicies } from './controller-choices'
import {
  DRIVES_MAX,
  NAME_MAX,
  type SideGroup,
  TROUBLE_KINDS,
  TROUBLES,
  type TroubleKind,
} from './group-text'
import classes from './Lab.module.css'
import { AssumedNote, LoadPicker } from './LoadPicker'
import { NumberField } from './NumberField'
import type { LabChoices } from './search'

interface GroupCardProps {
  group: SideGroup
  /** With which it is spoken of. */
  name: string
  choices: LabChoices
  catalogue: LabCatalogue
  controller: ControllerModel
  onChange: (group: SideGroup) => void
  onDuplicate: () => void
  onRemove: () => void
  /** Why there can be no more of them, or no fewer. */
  fullReason: string | undefined
  lastReason: string | undefined
}

/** One of the groups that share the controller: what it is, what it does, what befalls it. */
export function GroupCard(props: GroupCardProps) {
  const { t } = useTranslation()
  const { group, name, catalogue, onChange } = props
  return (
    <fieldset className={classes.group}>
      <legend>{name}</legend>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
        <NameField name={group.name} onCommit={(next) => onChange({ ...group, name: next })} />
        <ArrayPart {...props} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="md">
        <LoadPicker
          catalogue={catalogue}
          text={group.load}
          onChange={(load) => onChange({ ...group, load })}
        />
        <TroubleFields group={group} onChange={onChange} />
      </SimpleGrid>
      <AssumedNote catalogue={catalogue} text={group.load} />
      <Group gap="xs">
        <ActionButton
          variant="default"
          size="xs"
          aria-label={t('lab.groups.duplicateOf', { name })}
          blockedReason={props.fullReason}
          onClick={props.onDuplicate}
        >
          {t('lab.groups.duplicate')}
        </ActionButton>
        <ActionButton
          variant="default"
          size="xs"
          aria-label={t('lab.groups.removeOf', { name })}
          blockedReason={props.lastReason}
          onClick={props.onRemove}
        >
          {t('lab.groups.remove')}
        </ActionButton>
      </Group>
    </fieldset>
  )
}

/** Counts once it is left: each of its letters would be another address. */
function NameField({ name, onCommit }: { name: string; onCommit: (name: string) => void }) {
  const { t } = useTranslation()
  return (
    <TextInput
      key={name}
      label={t('lab.groups.name')}
      defaultValue={name}
      maxLength={NAME_MAX}
      onBlur={(event) => {
        const next = event.currentTarget.value.trim()
        if (next !== name) onCommit(next)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}

function ArrayPart({ group, choices, catalogue, controller, onChange }: GroupCardProps) {
  const { t } = useTranslation()
  const hasCache = cacheOf(choices, controller) > 0
  const set = (change: Partial<SideGroup>) => onChange({ ...group, ...change })
  // A chosen level stays visible when another controller does not offer it: the answer says why.
  const levels = LEVELS.filter(
    (level) =>
      level === group.level || controller.levels.some((offered) => offered.level === level),
  )
  return (
    <>
      <DriveSelect catalogue={catalogue} value={group.drive} onChange={(drive) => set({ drive })} />
      <NumberField
        label={t('lab.counts')}
        value={group.count}
        min={1}
        max={DRIVES_MAX}
        onCommit={(count) => set({ count })}
      />
      <WordSelect
        label={t('lab.groups.level')}
        words={levels}
        catalogue="raidLevel"
        value={group.level}
        onChange={(level) => set({ level })}
      />
      <StripSelect
        controller={controller}
        value={group.strip}
        onChange={(strip) => set({ strip })}
      />
      <WordSelect
        label={t('lab.policies')}
        words={offeredPolicies(choices, controller)}
        catalogue="policyWord"
        value={hasCache ? group.writing : 'write_through'}
        onChange={(writing) => set({ writing })}
      />
      <WordSelect
        label={t('lab.reading')}
        words={READ_POLICIES}
        catalogue="policyWord"
        value={group.reading}
        onChange={(reading) => set({ reading })}
      />
      <WordSelect
        label={t('lab.io')}
        words={IO_POLICIES}
        catalogue="policyWord"
        disabled={!hasCache}
        value={hasCache ? group.io : 'direct'}
        onChange={(io) => set({ io })}
      />
    </>
  )
}

function TroubleFields({ group, onChange }: Pick<GroupCardProps, 'group' | 'onChange'>) {
  const { t } = useTranslation()
  const { trouble, amount } = group
  return (
    <>
      <NativeSelect
        label={t('lab.groups.trouble')}
        value={trouble}
        data={TROUBLE_KINDS.map((value) => ({ value, label: t(`lab.groups.troubles.${value}`) }))}
        onChange={(event) => {
          const next = event.currentTarget.value as TroubleKind
          onChange({ ...group, trouble: next, amount: TROUBLES[next].amount })
        }}
      />
      {trouble !== 'none' && (
        <NumberField
          label={t(`lab.groups.amounts.${trouble}`)}
          value={amount}
          min={TROUBLES[trouble].min}
          max={TROUBLES[trouble].max}
          onCommit={(next) => onChange({ ...group, amount: next })}
        />
      )}
    </>
  )
}
