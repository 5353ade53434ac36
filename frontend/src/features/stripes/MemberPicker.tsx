import { Checkbox, CloseButton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { VirtualDrive } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { blockedText, word } from '@/entities/states/words'
import { formatBytes } from '@/lib/format'
import classes from '@/ui/Choosing.module.css'
import { Panel } from '@/ui/Panel'
import own from './Stripes.module.css'

interface MemberPickerProps {
  inventory: Inventory
  members: VirtualDrive[]
  onChange: (memberIds: string[]) => void
}

/** The virtual drives of each controller; what cannot be a member says why. */
export function MemberPicker({ inventory, members, onChange }: MemberPickerProps) {
  const { t } = useTranslation()
  const ids = members.map((member) => member.id)
  const toggle = (id: string) =>
    onChange(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id])
  return (
    <Panel title={t('stripe.create.members')}>
      <p className={classes.muted}>{t('stripe.create.membersHint')}</p>
      {inventory.controllers.map((controller) => {
        const inside = inventory.virtualDrives.filter(
          (each) => each.controller_id === controller.id,
        )
        if (inside.length === 0) return null
        return (
          <fieldset key={controller.id} className={own.controller}>
            <legend>
              {controller.model} <code>{controller.path}</code>
            </legend>
            <Stack gap="xs">
              {inside.map((each) => (
                <Choice
                  key={each.id}
                  virtualDrive={each}
                  chosen={ids.includes(each.id)}
                  onToggle={() => toggle(each.id)}
                />
              ))}
            </Stack>
          </fieldset>
        )
      })}
      <Chosen members={members} onRemove={toggle} />
    </Panel>
  )
}

interface ChoiceProps {
  virtualDrive: VirtualDrive
  chosen: boolean
  onToggle: () => void
}

function Choice({ virtualDrive, chosen, onToggle }: ChoiceProps) {
  const { t } = useTranslation()
  const blocked = blockedText(virtualDrive.blocked, 'stripe_create')
  return (
    <Checkbox
      label={t('stripe.create.option', {
        name: virtualDrive.name || virtualDrive.path,
        path: virtualDrive.path,
        level: word('raidLevel', virtualDrive.level),
        size: formatBytes(virtualDrive.size_bytes),
      })}
      description={blocked}
      disabled={blocked !== undefined}
      checked={chosen}
      onChange={onToggle}
    />
  )
}

interface ChosenProps {
  members: VirtualDrive[]
  onRemove: (id: string) => void
}

function Chosen({ members, onRemove }: ChosenProps) {
  const { t } = useTranslation()
  return (
    <div role="status">
      <p className={classes.note}>{t('stripe.create.chosen', { count: members.length })}</p>
      <ol className={classes.members}>
        {members.map((member, index) => {
          const name = member.name || member.path
          return (
            <li key={member.id} className={classes.member}>
              {index + 1}. {name}
              <CloseButton
                size="sm"
                radius="xl"
                aria-label={t('stripe.create.remove', { name })}
                onClick={() => onRemove(member.id)}
              />
            </li>
          )
        })}
      </ol>
    </div>
  )
}
