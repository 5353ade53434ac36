import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { recentEventsQuery } from '@/api/activity'
import type { Reported } from '@/api/types'
import { RecentEvents } from '@/entities/events/RecentEvents'
import { formatDateTime } from '@/lib/format'
import { EmptyState } from '@/ui/EmptyState'
import { Loading } from '@/ui/Loading'
import { NotFound } from '@/ui/NotFound'
import { PanelStack } from '@/ui/Panel'
import { ObjectHeader } from './ObjectHeader'

/** The events that end an object; some end without one. */
const ENDINGS = {
  virtual_drive: 'virtual_drive_deleted',
  drive_group: undefined,
  drive: 'drive_removed',
  battery: 'battery_removed',
  controller: undefined,
} as const

export type GoneKind = keyof typeof ENDINGS

interface GoneProps {
  kind: GoneKind
  id: string
  /** Where it was, if it was shown before it went. */
  of: Pick<Reported, 'host_id' | 'host_name'> | undefined
  /** What it was called; without it, the place that its events name. */
  title: string | undefined
  /** What leads to its return. */
  children?: ReactNode
}

/**
 * The page of an object that the server no longer has, also for who opens it by an old link: what
 * it was, when it ended, and the way back. Never its last state.
 */
export function Gone({ kind, id, of, title, children }: GoneProps) {
  const { t } = useTranslation()
  const events = useQuery(recentEventsQuery({ object_id: [id] }))
  const [newest] = events.data?.items ?? []
  const last = of ?? newest
  if (last === undefined) return events.isPending ? <Loading /> : <NotFound />
  const end = events.data?.items.find(({ name }) => name === ENDINGS[kind])
  return (
    <>
      <ObjectHeader
        of={last}
        title={title ?? t(`gone.title.${kind}`, { name: newest?.params[kind] ?? '' })}
      />
      <PanelStack>
        <EmptyState
          kind="none-match"
          title={
            end ? t(`gone.at.${kind}`, { time: formatDateTime(end.at) }) : t(`gone.now.${kind}`)
          }
          action={
            <Group gap="md" justify="center">
              {children}
              <HostLink of={last} />
            </Group>
          }
        >
          {events.isSuccess && end === undefined && of && t('gone.meanwhile')}
        </EmptyState>
        <RecentEvents filter={{ object_id: [id] }} />
      </PanelStack>
    </>
  )
}

function HostLink({ of }: { of: Pick<Reported, 'host_id' | 'host_name'> }) {
  const { t } = useTranslation()
  return (
    <Anchor
      renderRoot={(props) => (
        <Link to="/hosts/$hostId" params={{ hostId: of.host_id }} {...props} />
      )}
    >
      {t('common.toHost', { host: of.host_name })}
    </Anchor>
  )
}
