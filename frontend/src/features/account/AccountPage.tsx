import '@/locales/later/access'
import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { versionQuery } from '@/api/session'
import { useUser } from '@/entities/session/session'
import { word } from '@/entities/states/words'
import { Facts } from '@/ui/Facts'
import { PageHeader } from '@/ui/PageHeader'
import { Panel, PanelGrid, PanelStack } from '@/ui/Panel'
import { Timestamp } from '@/ui/Quantity'
import { PasswordForm } from './PasswordForm'

const SCHEMES = ['light', 'dark', 'auto'] as const

export function AccountPage() {
  const { t } = useTranslation()
  const user = useUser()
  const version = useQuery(versionQuery)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <PageHeader title={t('account.title')} />
      <PanelGrid>
        <PanelStack>
          <Panel title={t('account.about')}>
            <Facts
              facts={[
                { label: t('account.username'), value: user.username },
                { label: t('account.displayName'), value: user.display_name || null },
                {
                  label: t('account.role'),
                  value: `${word('role', user.role)}. ${word('roleHelp', user.role)}`,
                },
                {
                  label: t('account.lastLogin'),
                  value: user.last_login_at ? <Timestamp time={user.last_login_at} /> : null,
                },
                {
                  label: t('account.version'),
                  value: version.data
                    ? t('account.versionValue', {
                        version: version.data.version,
                        protocol: version.data.protocol,
                      })
                    : null,
                },
              ]}
            />
          </Panel>
          <Panel title={t('account.appearance')}>
            <SegmentedControl
              aria-label={t('account.appearance')}
              value={colorScheme}
              onChange={(value) => {
                const scheme = SCHEMES.find((each) => each === value)
                if (scheme) setColorScheme(scheme)
              }}
              data={SCHEMES.map((value) => ({ value, label: t(`shell.theme.${value}`) }))}
            />
          </Panel>
        </PanelStack>
        <Panel title={t('account.password')}>
          <PasswordForm />
        </Panel>
      </PanelGrid>
    </>
  )
}
