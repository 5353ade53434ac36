import '@/locales/later/access'
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { revokeToken, tokensQuery } from '@/api/access'
import { caused } from '@/api/live/caused'
import type { ApiToken } from '@/api/types'
import { word } from '@/entities/states/words'
import { i18n } from '@/lib/i18n'
import { problemOf } from '@/lib/problem'
import { ConfirmDialog } from '@/ui/ConfirmDialog'
import { type Column, DataTable } from '@/ui/DataTable'
import { EmptyState } from '@/ui/EmptyState'
import { Loaded } from '@/ui/Loaded'
import { PageHeader } from '@/ui/PageHeader'
import { Panel } from '@/ui/Panel'
import { ProblemNotice } from '@/ui/ProblemNotice'
import { Timestamp } from '@/ui/Quantity'
import { showToast } from '@/ui/toasts'
import { TokenDialog } from './TokenDialog'

function columns(onRevoke: (token: ApiToken) => void): Column<ApiToken>[] {
  return [
    {
      id: 'name',
      header: i18n.t('tokens.columns.name'),
      isRowHeader: true,
      cell: (token) => token.name,
    },
    { id: 'user', header: i18n.t('tokens.columns.user'), cell: (token) => token.username },
    {
      id: 'role',
      header: i18n.t('tokens.columns.role'),
      cell: (token) =>
        token.read_only
          ? i18n.t('tokens.scopeReadOnly', { role: word('role', token.role) })
          : word('role', token.role),
    },
    {
      id: 'hosts',
      header: i18n.t('tokens.columns.hosts'),
      cell: (token) =>
        token.hosts.length === 0
          ? i18n.t('tokens.allHosts')
          : token.hosts.map((host) => host.name).join(', '),
    },
    {
      id: 'prefix',
      header: i18n.t('tokens.columns.prefix'),
      cell: (token) => (
        <>
          <code>{token.prefix}</code>
          {token.made_with && <div>{i18n.t('tokens.madeWith', { prefix: token.made_with })}</div>}
        </>
      ),
    },
    {
      id: 'used',
      header: i18n.t('tokens.columns.used'),
      cell: (token) =>
        token.last_used_at ? <Timestamp time={token.last_used_at} /> : i18n.t('tokens.never'),
    },
    {
      id: 'expires',
      header: i18n.t('tokens.columns.expires'),
      cell: (token) =>
        token.expires_at ? <Timestamp time={token.expires_at} /> : i18n.t('tokens.noEnd'),
    },
    {
      id: 'actions',
      header: i18n.t('tokens.columns.actions'),
      cell: (token) => (
        <Button
          variant="light"
          color="red"
          size="compact-sm"
          aria-label={i18n.t('tokens.revokeToken', { name: token.name })}
          onClick={() => onRevoke(token)}
        >
          {i18n.t('tokens.revoke')}
        </Button>
      ),
    },
  ]
}

export function TokensPage() {
  const { t } = useTranslation()
  const tokens = useQuery(tokensQuery)
  const [isAdding, setAdding] = useState(false)
  const [revoking, setRevoking] = useState<ApiToken | null>(null)
  return (
    <>
      <PageHeader
        title={t('tokens.title')}
        subtitle={t('tokens.intro')}
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            {t('tokens.add')}
          </Button>
        }
      />
      <Panel title={t('tokens.title')} flush>
        <Loaded query={tokens}>
          {(list) => (
            <DataTable
              label={t('tokens.title')}
              columns={columns(setRevoking)}
              rows={list}
              rowId={(token) => token.id}
              empty={
                <EmptyState kind="none-yet" title={t('tokens.none')}>
                  {t('tokens.noneText')}
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Panel>
      {isAdding && <TokenDialog onClose={() => setAdding(false)} />}
      {revoking && <RevokeDialog token={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function RevokeDialog({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSettled: () => caused(client, 'api_token'),
    onSuccess: () => {
      showToast(t('tokens.revoked', { name: token.name }))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      title={t('tokens.revokeTitle', { name: token.name })}
      verb={t('tokens.revoke')}
      grade={{ kind: 'plain' }}
      consequences={[t('tokens.revokeText')]}
      pending={revoke.isPending}
      failure={revoke.error && <ProblemNotice problem={problemOf(revoke.error)} />}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}
