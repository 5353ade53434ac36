import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { enrolmentTokensQuery, revokeEnrolmentToken } from '@/api/hosts'
import { caused } from '@/api/live/caused'
import type { EnrolmentToken } from '@/api/types'
import { i18n } from '@/lib/i18n'
import { problemOf } from '@/lib/problem'
import { actorText } from '@/lib/told'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { type Column, DataTable } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { Timestamp } from '@/ui/Quantity'
import { Status, type Tone } from '@/ui/Status'
import { showToast } from '@/ui/toasts'

const TONES: Record<ReturnType<typeof stateOf>, Tone> = {
  usable: 'info',
  used: 'ok',
  revoked: 'idle',
  expired: 'idle',
}

function stateOf(token: EnrolmentToken) {
  if (token.max_uses !== null && token.uses >= token.max_uses) return 'used'
  if (token.revoked) return 'revoked'
  return token.usable ? 'usable' : 'expired'
}

const nameOf = (token: EnrolmentToken) => token.name || token.prefix

function columns(onRevoke: (token: EnrolmentToken) => void): Column<EnrolmentToken>[] {
  return [
    {
      id: 'name',
      header: i18n.t('addHost.columns.name'),
      isRowHeader: true,
      cell: (token) => token.name || '–',
    },
    {
      id: 'prefix',
      header: i18n.t('addHost.columns.prefix'),
      cell: (token) => <code>{token.prefix}</code>,
    },
    {
      id: 'state',
      header: i18n.t('addHost.columns.state'),
      cell: (token) => (
        <Status tone={TONES[stateOf(token)]}>{i18n.t(`addHost.state.${stateOf(token)}`)}</Status>
      ),
    },
    {
      id: 'uses',
      header: i18n.t('addHost.columns.uses'),
      cell: (token) =>
        token.max_uses === null
          ? i18n.t('addHost.usesAny', { uses: token.uses })
          : i18n.t('addHost.usesOf', { uses: token.uses, max: token.max_uses }),
    },
    {
      id: 'hosts',
      header: i18n.t('addHost.columns.hosts'),
      cell: (token) => <UsedBy token={token} />,
    },
    {
      id: 'labels',
      header: i18n.t('addHost.labels'),
      cell: (token) => token.labels.join(' ') || '–',
    },
    {
      id: 'created',
      header: i18n.t('addHost.columns.created'),
      cell: (token) => (
        <span>
          <Timestamp time={token.created_at} />{' '}
          {i18n.t('addHost.createdBy', { name: actorText(token.created_by) })}
        </span>
      ),
    },
    {
      id: 'expires',
      header: i18n.t('addHost.columns.expires'),
      cell: (token) => <Timestamp time={token.expires_at} />,
    },
    {
      id: 'actions',
      header: i18n.t('addHost.columns.actions'),
      cell: (token) =>
        stateOf(token) === 'usable' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={i18n.t('addHost.revokeTitle', { name: nameOf(token) })}
            onClick={() => onRevoke(token)}
          >
            {i18n.t('addHost.revoke')}
          </Button>
        ),
    },
  ]
}

/** The newest hosts by name, of the others how many. */
function UsedBy({ token }: { token: EnrolmentToken }) {
  const { t } = useTranslation()
  if (token.hosts.length === 0) return '–'
  const more = token.uses - token.hosts.length
  return (
    <span>
      {token.hosts.map((host, index) => (
        <Fragment key={host.id}>
          {index > 0 && ', '}
          {host.retired ? (
            t('addHost.retiredHost', { name: host.label })
          ) : (
            <Link to="/hosts/$hostId" params={{ hostId: host.id }}>
              {host.label}
            </Link>
          )}
        </Fragment>
      ))}
      {more > 0 && ` ${t('addHost.moreHosts', { count: more })}`}
    </span>
  )
}

export function EnrolmentTokens() {
  const { t } = useTranslation()
  const tokens = useQuery(enrolmentTokensQuery)
  const [revoking, setRevoking] = useState<EnrolmentToken | null>(null)
  return (
    <Panel title={t('addHost.tokens')} flush>
      <Loaded query={tokens} rows={2}>
        {(list) => (
          <DataTable
            label={t('addHost.tokens')}
            columns={columns(setRevoking)}
            rows={list}
            rowId={(token) => token.id}
            empty={<EmptyState kind="none-yet" title={t('addHost.noTokens')} />}
          />
        )}
      </Loaded>
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />}
    </Panel>
  )
}

function RevokeDialog({ token, onClose }: { token: EnrolmentToken; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => revokeEnrolmentToken(token.id),
    onSettled: () => caused(client, 'enrolment_token'),
    onSuccess: () => {
      showToast(t('addHost.revoked'))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('addHost.revokeTitle', { name: nameOf(token) })}
      verb={t('addHost.revoke')}
      grade={{ kind: 'plain' }}
      consequences={[t('addHost.revokeText')]}
      pending={revoke.isPending}
      failure={revoke.error && <ProblemNotice problem={problemOf(revoke.error)} />}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}
