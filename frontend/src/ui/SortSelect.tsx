import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Column } from './DataTable'
import classes from './SortSelect.module.css'

interface SortSelectProps<Row> {
  columns: Column<Row>[]
  sort: string | undefined
  onChange: (sort: string | undefined) => void
}

/** Sorts a table on a phone, where cards stand in place of its header. */
export function SortSelect<Row>({ columns, sort, onChange }: SortSelectProps<Row>) {
  const { t } = useTranslation()
  const id = useId()
  const sortable = columns.filter((column) => column.sortValue ?? column.sortedByServer)
  if (sortable.length === 0) return null
  return (
    <div className={classes.sort}>
      <label htmlFor={id}>{t('common.sortBy')}</label>
      <select
        id={id}
        value={sort ?? ''}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      >
        {!sort && <option value="">–</option>}
        {sortable.flatMap(({ id: column, header }) => [
          <option key={column} value={column}>
            {t('common.sortUp', { column: header })}
          </option>,
          <option key={`-${column}`} value={`-${column}`}>
            {t('common.sortDown', { column: header })}
          </option>,
        ])}
      </select>
    </div>
  )
}
