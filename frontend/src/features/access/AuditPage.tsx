import '@/locales/later/access'
import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type AuditFilter, auditQuery, fetchAudit, verifyAudit } from '@/api/access'
import type { AuditEntry, AuditVerification } from '@/api/types'
import { type Days, spanOf } from '@/lib/days'
import { i18n } from '@/lib/i18n'
import { problemOf } from '@/lib/problem'
import { actorText, sentence } from '@/lib/told'
import { CsvButton } from '@/ui/CsvButton'
import type { Column } from '@/ui/DataTable'
import { DayRange } from '@/ui/DayRange'
import { EmptyState } from '@/ui/EmptyState'
import { Notice } from '@/ui/Notice'
import { PagedTable } from '@/ui/PagedTable'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { Timestamp } from '@/ui/Quantity'
import { SearchBox } from '@/ui/SearchBox'
import { AuditTarget } from './AuditTarget'

/** Told by the target's link, or of use to programs only: in the file, not on the page. */
const HIDDEN = ['command_id', 'target_id', 'host_id', 'name', 'host']

const detail = (entry: AuditEntry, hidden: string[]) =>
  Object.entries(entry.detail)
    .filter(([key, value]) => value !== '' && !hidden.includes(key))
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')

export interface AuditSearch extends Days {
  actor?: string
  action?: string
}

interface AuditPageProps {
  search: AuditSearch
  onSearchChange: (change: { [Key in keyof AuditSearch]: AuditSearch[Key] | undefined }) => void
}

function columns(): Column<AuditEntry>[] {
  return [
    {
      id: 'time',
      header: i18n.t('audit.columns.time'),
      cell: (entry) => <Timestamp time={entry.at} />,
    },
    {
      id: 'actor',
      header: i18n.t('audit.columns.actor'),
      cell: (entry) => actorText(entry.actor) || '–',
    },
    {
      id: 'action',
      header: i18n.t('audit.columns.action'),
      cell: (entry) => <code>{entry.action}</code>,
    },
    {
      id: 'target',
      header: i18n.t('audit.columns.target'),
      cell: (entry) => <AuditTarget entry={entry} />,
    },
    {
      id: 'outcome',
      header: i18n.t('audit.columns.outcome'),
      cell: (entry) => sentence(entry.outcome),
    },
    {
      id: 'address',
      header: i18n.t('audit.columns.address'),
      wideOnly: true,
      cell: (entry) => entry.address || '–',
    },
    {
      id: 'detail',
      header: i18n.t('audit.columns.detail'),
      wideOnly: true,
      // Names of the API: English in every language.
      cell: (entry) => <span lang="en">{detail(entry, HIDDEN) || '–'}</span>,
    },
  ]
}

function Verification({ found }: { found: AuditVerification }) {
  const { t } = useTranslation()
  if (!found.intact) {
    return (
      <Notice
        tone="crit"
        title={t('audit.broken', { seq: found.first_broken ?? found.entries + 1 })}
      >
        <p>{t('audit.brokenText')}</p>
      </Notice>
    )
  }
  return (
    <Notice tone="ok" title={t('audit.intact')}>
      <p>{t('audit.intactText', { count: found.entries, hash: found.last_hash })}</p>
    </Notice>
  )
}

async function auditLines(filter: AuditFilter) {
  const entries = await fetchAudit(filter)
  return [
    ['seq', 'at', 'actor', 'action', 'target', 'outcome', 'address', 'detail'],
    ...entries.map((entry) => [
      entry.seq,
      entry.at,
      entry.actor,
      entry.action,
      entry.target,
      entry.outcome,
      entry.address,
      detail(entry, []),
    ]),
  ]
}

function toFilter({ from, to, ...filter }: AuditSearch): AuditFilter {
  return { ...filter, ...spanOf({ from, to }) }
}

export function AuditPage({ search, onSearchChange }: AuditPageProps) {
  const { t } = useTranslation()
  const query = useInfiniteQuery({
    ...auditQuery(toFilter(search)),
    placeholderData: keepPreviousData,
  })
  const verify = useMutation({ mutationFn: verifyAudit })
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  return (
    <>
      <PageHeader
        title={t('audit.title')}
        subtitle={t('audit.intro')}
        actions={
          <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
            {t('audit.verify')}
          </Button>
        }
      />
      {verify.isError && <ProblemNotice problem={problemOf(verify.error)} />}
      {verify.data && <Verification found={verify.data} />}
      <Panel
        title={t('audit.title')}
        flush
        aside={
          <>
            <SearchBox
              label={t('audit.actor')}
              placeholder={t('audit.actor')}
              value={search.actor ?? ''}
              onChange={(actor) => onSearchChange({ actor: actor || undefined })}
            />
            <SearchBox
              label={t('audit.action')}
              placeholder={t('audit.action')}
              value={search.action ?? ''}
              onChange={(action) => onSearchChange({ action: action || undefined })}
            />
            <DayRange value={search} onChange={onSearchChange} />
            <CsvButton
              name="arraywright-audit.csv"
              fetchLines={() => auditLines(toFilter(search))}
            />
          </>
        }
      >
        <PagedTable
          label={t('audit.title')}
          columns={columns()}
          query={query}
          rowId={(entry) => String(entry.seq)}
          empty={
            <EmptyState
              kind={isFiltered ? 'none-match' : 'none-yet'}
              title={isFiltered ? t('common.noneMatch') : t('audit.none')}
            />
          }
        />
      </Panel>
    </>
  )
}
