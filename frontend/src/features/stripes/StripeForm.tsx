import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { NAME_PATTERN } from '@/entities/virtual-drives/policy-options'
import { formatStrip } from '@/lib/format'
import classes from '@/ui/Choosing.module.css'
import { Panel, PanelStack } from '@/ui/Panel'
import { CreateStripePanel } from './CreateStripePanel'
import { MemberPicker } from './MemberPicker'
import type { StripeWish } from './wish'

/** What can be asked for; the host has the last word. */
const STRIPS_KIB = [8, 16, 32, 64, 128, 256, 512, 1024]

interface StripeFormProps {
  hostId: string
  inventory: Inventory
}

export function StripeForm({ hostId, inventory }: StripeFormProps) {
  const { t } = useTranslation()
  const [wish, setWish] = useState<StripeWish>({ memberIds: [], name: '', stripBytes: null })
  const change = (part: Partial<StripeWish>) => setWish((before) => ({ ...before, ...part }))
  const members = wish.memberIds.flatMap(
    (id) => inventory.virtualDrives.find((each) => each.id === id) ?? [],
  )
  const isNameGood = wish.name === '' || NAME_PATTERN.test(wish.name)
  return (
    <div className={classes.layout}>
      <PanelStack>
        <MemberPicker
          inventory={inventory}
          members={members}
          onChange={(memberIds) => change({ memberIds })}
        />
        <Panel title={t('stripe.create.settings')}>
          <Stack gap="md">
            <TextInput
              label={t('stripe.create.name')}
              description={t('vd.nameHelp')}
              value={wish.name}
              maxLength={15}
              maw={320}
              autoComplete="off"
              spellCheck={false}
              error={isNameGood ? undefined : t('vd.nameHelp')}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <NativeSelect
              label={t('stripe.create.strip')}
              maw={320}
              value={wish.stripBytes === null ? '' : String(wish.stripBytes)}
              data={[
                { value: '', label: t('stripe.create.stripDefault') },
                ...STRIPS_KIB.map((kib) => ({
                  value: String(kib * 1024),
                  label: formatStrip(kib * 1024),
                })),
              ]}
              onChange={(event) =>
                change({ stripBytes: Number(event.currentTarget.value) || null })
              }
            />
          </Stack>
        </Panel>
      </PanelStack>
      {/* Another wish is another question to the host: what it said of the last one is gone. */}
      <CreateStripePanel key={JSON.stringify(wish)} hostId={hostId} wish={wish} members={members} />
    </div>
  )
}
