import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { csv, download } from '@/lib/csv'
import { problemOf } from '@/lib/problem'
import { ProblemNotice } from './ProblemNotice'

interface CsvButtonProps {
  /** Of the file. */
  name: string
  /** All lines, the names of the columns first. */
  fetchLines: () => Promise<(string | number)[][]>
}

/** Saves a list as it is filtered, also what the page has not loaded. */
export function CsvButton({ name, fetchLines }: CsvButtonProps) {
  const { t } = useTranslation()
  const save = useMutation({
    mutationFn: fetchLines,
    onSuccess: (lines) => download(new Blob([csv(lines)], { type: 'text/csv' }), name),
  })
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Download size={15} aria-hidden />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {t('common.saveCsv')}
      </Button>
      {save.error && <ProblemNotice problem={problemOf(save.error)} />}
    </>
  )
}
