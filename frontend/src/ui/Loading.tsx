import { Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Stands where a page or panel will be; spoken once, not animated under reduced motion. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={index} height={index === 0 ? 28 : 56} />
      ))}
    </Stack>
  )
}
