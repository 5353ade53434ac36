import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { DriveGroup, Operation, VirtualDrive } from '@/api/types'
import { RecentEvents } from '@/entities/events/RecentEvents'
import type { Inventory } from '@/entities/hosts/use-inventory'
import { OperationsList } from '@/entities/operations/OperationsList'
import { word } from '@/entities/states/words'
import { MemberOf } from '@/entities/stripes/MemberOf'
import { VirtualDriveStatus } from '@/entities/virtual-drives/VirtualDriveStatus'
import classes from '@/features/groups/GroupPage.module.css'
import { MembersTable } from '@/features/groups/MembersTable'
import { SpareChoices } from '@/features/groups/SpareChoices'
import type { GroupTab } from '@/features/groups/search'
import { type Fact, Facts } from '@/ui/Facts'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Bytes } from '@/ui/Quantity'

interface TabProps {
  group: DriveGroup
  /** Its own. */
  virtualDrives: VirtualDrive[]
  running: Operation[]
  inventory: Inventory
}

/** What one tab of the page holds. */
export function TabContent({ tab, ...props }: TabProps & { tab: GroupTab }) {
  const { t } = useTranslation()
  const { group, virtualDrives, running, inventory } = props
  if (tab === 'members') {
    return (
      <Panel title={t('group.members')} flush>
        <MembersTable group={group} drives={inventory.drives} />
      </Panel>
    )
  }
  if (tab === 'spares') {
    return (
      <Panel title={t('group.spares')}>
        <SpareChoices group={group} drives={inventory.drives} />
      </Panel>
    )
  }
  if (tab === 'operations') {
    return (
      <Panel title={t('host.operations')}>
        <OperationsList operations={running} empty={t('host.noOperations')} />
      </Panel>
    )
  }
  if (tab === 'events') {
    return <RecentEvents filter={{ object_id: [group.id, ...virtualDrives.map(({ id }) => id)] }} />
  }
  return <Overview {...props} />
}

function Overview({ group, virtualDrives, running }: TabProps) {
  const { t } = useTranslation()
  return (
    <PanelStack>
      {running.length > 0 && (
        <Panel title={t('host.operations')}>
          <OperationsList operations={running} />
        </Panel>
      )}
      <PanelGrid>
        <Panel title={t('group.virtualDrives')}>
          {virtualDrives.length === 0 && <p>{t('group.noVirtualDrives')}</p>}
          <ul className={classes.list}>
            {virtualDrives.map((each) => (
              <li key={each.id}>
                <Link
                  to="/virtual-drives/$virtualDriveId"
                  params={{ virtualDriveId: each.id }}
                  className={classes.name}
                >
                  {each.name || each.path}
                </Link>
                <Bytes bytes={each.size_bytes} />
                <VirtualDriveStatus state={each.state} />
                <MemberOf virtualDrive={each} />
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title={t('group.about')}>
          <GroupFacts group={group} />
        </Panel>
      </PanelGrid>
    </PanelStack>
  )
}

/** Which spans are not whole; groups of one span have none to tell apart. */
function useSpanFacts({ span_states: states }: DriveGroup): Fact[] {
  const { t } = useTranslation()
  if (states === null || states.length < 2) return []
  const sick = states.flatMap((state, span) => (state === 'optimal' ? [] : [{ state, span }]))
  const value =
    sick.length === 0
      ? t('group.spansWhole')
      : sick.map(({ state, span }) => (
          <div key={span}>
            {t('group.span', { span })} <VirtualDriveStatus state={state} />
          </div>
        ))
  return [{ label: t('group.spans'), value }]
}

function GroupFacts({ group }: { group: DriveGroup }) {
  const { t } = useTranslation()
  const spanFacts = useSpanFacts(group)
  return (
    <Facts
      facts={[
        { label: t('group.help'), value: word('virtualDriveStateHelp', group.state) },
        {
          label: t('group.layout'),
          value: t('group.layoutValue', {
            count: group.span_count,
            drives: group.drives_per_span,
          }),
        },
        ...spanFacts,
        { label: t('group.free'), value: <Bytes bytes={group.free_bytes} /> },
        { label: t('group.guid'), value: <code>{group.guid}</code> },
      ]}
    />
  )
}
