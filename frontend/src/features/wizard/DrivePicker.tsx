import { CloseButton, NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Drive } from '@/api/types'
import type { BayFace } from '@/entities/chassis/Bay'
import { Chassis } from '@/entities/chassis/Chassis'
import { driveFace, emptyFace, type FaceContext } from '@/entities/drives/drive-face'
import { blockedText, word } from '@/entities/states/words'
import { isFree } from '@/entities/wishes/suggest'
import { i18n } from '@/lib/i18n'
import { reasonText } from '@/lib/told'
import classes from '@/ui/Choosing.module.css'
import { Panel } from '@/ui/Panel'
import type { AdvancedFormProps } from './AdvancedForm'
import { LooseDrives } from './LooseDrives'

/** Why a drive cannot be chosen; the host has the last word in the preview. */
export function choiceBlocked(drive: Drive): string | undefined {
  const blocked = blockedText(drive.blocked, 'vd_create')
  if (blocked !== undefined) return blocked
  if (drive.unsuitable) return reasonText(drive.unsuitable)
  return isFree(drive) ? undefined : word('driveStateHelp', drive.state)
}

function pickFace(drive: Drive, context: FaceContext, driveIds: string[]): BayFace {
  const face = driveFace(drive, context)
  const blockedReason = choiceBlocked(drive)
  const choice = driveIds.indexOf(drive.id) + 1
  const chosen = choice > 0 ? i18n.t('wizard.bayChosen', { number: choice }) : undefined
  return {
    ...face,
    spoken: [face.spoken, chosen, blockedReason].filter(Boolean).join('. '),
    ...(choice > 0 && { choice }),
    ...(blockedReason !== undefined && { blockedReason }),
  }
}

export function DrivePicker({ wish, controller, inventory, onChange }: AdvancedFormProps) {
  const { t } = useTranslation()
  const own = inventory.drives.filter((drive) => drive.controller_id === controller.id)
  const enclosures = inventory.enclosures.filter((each) => each.controller_id === controller.id)
  const loose = own.filter((drive) => drive.enclosure_id === null)
  const rule = controller.levels.find((each) => each.level === wish.level)
  const context: FaceContext = {
    groups: new Map(inventory.groups.map((group) => [group.id, group])),
    operations: new Map(),
  }

  function toggle(drive: Drive | undefined) {
    if (!drive) return
    const driveIds = wish.driveIds.includes(drive.id)
      ? wish.driveIds.filter((id) => id !== drive.id)
      : [...wish.driveIds, drive.id]
    onChange({ driveIds, spareIds: wish.spareIds.filter((id) => id !== drive.id) })
  }

  return (
    <Panel title={t('wizard.drives')}>
      <p className={classes.muted}>{t('wizard.drivesHint')}</p>
      {own.every((drive) => !isFree(drive)) && <p>{t('wizard.drivesNone')}</p>}
      {enclosures.map((enclosure) => {
        const inside = own.filter((drive) => drive.enclosure_id === enclosure.id)
        const chosen = inside.filter((drive) => wish.driveIds.includes(drive.id))
        return (
          <Chassis
            key={enclosure.id}
            label={t('chassis.label', { enclosure: `${enclosure.model} ${enclosure.path}` })}
            shape={enclosure}
            faces={
              new Map(
                inside.map((drive) => [drive.slot ?? -1, pickFace(drive, context, wish.driveIds)]),
              )
            }
            emptyFace={emptyFace}
            coloring="state"
            multiselect
            selected={new Set(chosen.map((drive) => drive.slot ?? -1))}
            onToggle={(slot) => toggle(inside.find((drive) => drive.slot === slot))}
          />
        )
      })}
      {loose.length > 0 && <LooseDrives drives={loose} chosen={wish.driveIds} onToggle={toggle} />}
      <Chosen
        drives={wish.driveIds.flatMap((id) => own.find((drive) => drive.id === id) ?? [])}
        onRemove={toggle}
      />
      {rule !== undefined && rule.drives_per_span_default > 0 && (
        <NumberInput
          mt="md"
          maw={220}
          label={t('wizard.drivesPerSpan')}
          value={wish.drivesPerSpan ?? rule.drives_per_span_default}
          min={1}
          max={rule.drives_max}
          allowDecimal={false}
          onChange={(value) =>
            onChange({ drivesPerSpan: typeof value === 'number' ? value : null })
          }
        />
      )}
    </Panel>
  )
}

function Chosen({ drives, onRemove }: { drives: Drive[]; onRemove: (drive: Drive) => void }) {
  const { t } = useTranslation()
  return (
    <div role="status">
      <p className={classes.note}>{t('wizard.members', { count: drives.length })}</p>
      <ol className={classes.members}>
        {drives.map((drive, index) => (
          <li key={drive.id} className={classes.member}>
            {index + 1}. {drive.path}
            <CloseButton
              size="sm"
              radius="xl"
              aria-label={t('wizard.remove', { path: drive.path })}
              onClick={() => onRemove(drive)}
            />
          </li>
        ))}
      </ol>
    </div>
  )
}
