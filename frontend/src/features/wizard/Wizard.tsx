import { NativeSelect, SegmentedControl, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller } from '@/api/types'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { emptyWish, toPreview, type Wish } from '@/entities/wishes/wish'
import classes from '@/ui/Choosing.module.css'
import { Panel, PanelStack } from '@/ui/Panel'
import { AdvancedForm } from './AdvancedForm'
import { completeWish } from './complete'
import { NameField } from './NameField'
import { PredictionPanel } from './PredictionPanel'
import { PresetField } from './PresetField'
import { PreviewPanel } from './PreviewPanel'
import { SimpleForm } from './SimpleForm'
import { fromSearch, toSearch, type WizardSearch } from './search'
import { usePreview } from './use-preview'

interface WizardProps {
  inventory: Inventory
  firstController: Controller
  search: WizardSearch
  onSearchChange: (search: WizardSearch) => void
}

/** The form on the left, the host's own answer to it on the right, always in view. */
export function Wizard({ inventory, firstController, search, onSearchChange }: WizardProps) {
  const { t } = useTranslation()
  const group = inventory.groups.find((each) => each.id === search.group)
  const controllerOf = (id: string | undefined) =>
    inventory.controllers.find((each) => each.id === id) ?? firstController
  const [draft, setDraft] = useState<Wish>(() =>
    fromSearch(search, controllerOf(group?.controller_id ?? search.controller)),
  )
  // Two changes may come before the page is drawn again; neither may lose the other.
  const latest = useRef(draft)
  const mode = group || search.mode === 'advanced' ? 'advanced' : 'simple'
  const controller = controllerOf(draft.controllerId)
  const wish = completeWish({ ...draft, mode }, controller, inventory, group)
  const request = toPreview(wish)
  const preview = usePreview(request)

  /** The form and the address hold the same: a reload keeps it. */
  function hold(next: Wish, nextMode = search.mode) {
    latest.current = next
    setDraft(next)
    onSearchChange(toSearch(next, { mode: nextMode, group: search.group }))
  }
  const change = (part: Partial<Wish>) => hold({ ...latest.current, ...part })

  function changeMode(next: string) {
    if (next !== 'advanced') {
      onSearchChange(toSearch(latest.current, {}))
      return
    }
    // What the simple mode has chosen is where the advanced one begins.
    const { level, driveIds, spareIds } = wish
    hold({ ...latest.current, level, driveIds, spareIds }, 'advanced')
  }

  return (
    <div className={classes.layout}>
      <PanelStack>
        {!group && (
          <div className={classes.top}>
            <SegmentedControl
              aria-label={t('wizard.mode')}
              value={mode}
              onChange={changeMode}
              data={[
                { value: 'simple', label: t('wizard.simple') },
                { value: 'advanced', label: t('wizard.advanced') },
              ]}
            />
            {inventory.controllers.length > 1 && (
              <NativeSelect
                label={t('wizard.controller')}
                value={controller.id}
                data={inventory.controllers.map((each) => ({
                  value: each.id,
                  label: `${each.path} ${each.model}`,
                }))}
                onChange={(event) => hold(emptyWish(event.currentTarget.value))}
              />
            )}
          </div>
        )}
        {mode === 'simple' ? (
          <>
            <SimpleForm
              wish={wish}
              controller={controller}
              inventory={inventory}
              onChange={change}
            />
            <Panel title={t('wizard.settingsSimple')}>
              <Stack gap="md">
                <NameField wish={wish} onChange={change} />
                <PresetField wish={wish} controller={controller} onChange={change} />
              </Stack>
            </Panel>
          </>
        ) : (
          <AdvancedForm
            wish={wish}
            controller={controller}
            inventory={inventory}
            group={group}
            rowBytes={preview.result?.row_bytes}
            onChange={change}
          />
        )}
      </PanelStack>
      <PreviewPanel
        wish={wish}
        request={request}
        preview={preview}
        controller={controller}
        drives={inventory.drives}
        onChange={change}
      />
      <div className={classes.wide}>
        <PredictionPanel wish={wish} group={group} drives={inventory.drives} />
      </div>
    </div>
  )
}
