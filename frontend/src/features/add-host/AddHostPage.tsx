import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { EnrolmentTokenCreated } from '@/api/types'
import { useHasRole } from '@/entities/session/session'
import { EmptyState } from '@/ui/EmptyState'
import { PageHeader } from '@/ui/PageHeader'
import { PanelStack } from '@/ui/Panel'
import { Arrivals } from './Arrivals'
import { EnrolmentTokens } from './EnrolmentTokens'
import { NewToken } from './NewToken'
import { RunLine } from './RunLine'

export function AddHostPage() {
  const { t } = useTranslation()
  const mayAdd = useHasRole('administrator')
  const [token, setToken] = useState<EnrolmentTokenCreated | null>(null)
  if (!mayAdd) {
    return (
      <>
        <PageHeader title={t('addHost.title')} />
        <EmptyState kind="not-allowed" title={t('common.notAllowedTitle')}>
          {t('common.notAllowedText')}
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader title={t('addHost.title')} subtitle={t('addHost.intro')} />
      <PanelStack>
        {token === null ? (
          <NewToken onMade={setToken} />
        ) : (
          <>
            <RunLine token={token} />
            <Arrivals token={token} />
            <Button variant="default" w="fit-content" onClick={() => setToken(null)}>
              {t('addHost.another')}
            </Button>
          </>
        )}
        <EnrolmentTokens />
      </PanelStack>
    </>
  )
}
