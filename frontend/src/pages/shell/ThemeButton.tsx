import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Moon, Sun } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Tooltip } from '@/ui/Tooltip'

export function ThemeButton() {
  const { t } = useTranslation()
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const label = scheme === 'dark' ? t('shell.theme.toLight') : t('shell.theme.toDark')
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
      >
        {scheme === 'dark' ? <Sun size={19} aria-hidden /> : <Moon size={19} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  )
}
