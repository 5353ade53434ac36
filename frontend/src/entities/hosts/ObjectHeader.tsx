import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '@/api/hosts'
import type { Reported } from '@/api/types'
import { PageHeader } from '@/ui/PageHeader'

interface ObjectHeaderProps
  extends Omit<ComponentProps<typeof PageHeader>, 'crumbs' | 'crumbsLabel'> {
  /** An object of a host, or the host itself. */
  of: Pick<Reported, 'host_id' | 'host_name'>
  /** The bay that the host's page is opened with. */
  bay?: string | undefined
  /** Levels between the host and the page, nearest last. */
  below?: ReactNode[]
}

/** The head of every page about something of a host: fleet, host, what lies between, and it. */
export function ObjectHeader({ of, bay, below = [], ...rest }: ObjectHeaderProps) {
  const { t } = useTranslation()
  // On every page of a host somebody looks whether it comes and goes (see watchPresence).
  useQuery(hostQuery(of.host_id))
  return (
    <PageHeader
      {...rest}
      crumbsLabel={t('common.breadcrumbs')}
      crumbs={[
        <Link key="fleet" to="/">
          {t('shell.fleet')}
        </Link>,
        <Link
          key="host"
          to="/hosts/$hostId"
          params={{ hostId: of.host_id }}
          search={bay === undefined ? {} : { bay }}
        >
          {of.host_name}
        </Link>,
        ...below,
      ]}
    />
  )
}
