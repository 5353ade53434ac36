import { CloseButton, Group, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hostNamesQuery } from '@/api/hosts'

interface HostChoiceProps {
  hostIds: string[]
  onChange: (hostIds: string[]) => void
  error?: string
}

/** The hosts a token is limited to: each is added from a list; none chosen means all. */
export function HostChoice({ hostIds, onChange, error }: HostChoiceProps) {
  const { t } = useTranslation()
  const hosts = useQuery(hostNamesQuery).data ?? []
  const chosen = hosts.filter((host) => hostIds.includes(host.id))
  const others = hosts.filter((host) => !hostIds.includes(host.id))
  return (
    <Stack gap="xs">
      <NativeSelect
        label={t('tokens.hosts')}
        description={t('tokens.hostsHelp')}
        error={error}
        value=""
        onChange={({ currentTarget }) => onChange([...hostIds, currentTarget.value])}
        data={[
          { value: '', label: t(hostIds.length === 0 ? 'tokens.allHosts' : 'tokens.addHost') },
          ...others.map((host) => ({ value: host.id, label: host.label })),
        ]}
      />
      {chosen.map((host) => (
        <Group key={host.id} gap="xs" justify="space-between">
          <span>{host.label}</span>
          <CloseButton
            aria-label={t('tokens.removeHost', { name: host.label })}
            onClick={() => onChange(hostIds.filter((each) => each !== host.id))}
          />
        </Group>
      ))}
    </Stack>
  )
}
