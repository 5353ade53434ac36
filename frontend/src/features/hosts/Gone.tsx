import { Anchor, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reported } from '@/api/types'
import { EmptyState } from '@/ui/EmptyState'
import { ObjectHeader } from './ObjectHeader'

interface GoneProps {
  of: Pick<Reported, 'host_id' | 'host_name'>
  /** What it was called. */
  title: string
  children?: ReactNode
}

/** The page of an object that disappeared while somebody looked at it: never its last state. */
export function Gone({ of, title, children }: GoneProps) {
  const { t } = useTranslation()
  return (
    <>
      <ObjectHeader of={of} title={title} />
      <EmptyState
        kind="none-match"
        title={t('common.goneTitle', { name: title })}
        action={
          <Group gap="md" justify="center">
            {children}
            <Anchor
              renderRoot={(props) => (
                <Link to="/hosts/$hostId" params={{ hostId: of.host_id }} {...props} />
              )}
            >
              {t('common.toHost', { host: of.host_name })}
            </Anchor>
          </Group>
        }
      >
        {t('common.goneText')}
      </EmptyState>
    </>
  )
}

/** Leads to what was deleted from a controller and can be restored. */
export function RecentlyDeletedLink({ controllerId }: { controllerId: string }) {
  const { t } = useTranslation()
  return (
    <Anchor
      renderRoot={(props) => (
        <Link to="/controllers/$controllerId/undo" params={{ controllerId }} {...props} />
      )}
    >
      {t('common.recentlyDeleted')}
    </Anchor>
  )
}
