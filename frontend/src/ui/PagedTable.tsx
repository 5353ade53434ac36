import type { ComponentProps } from 'react'
import { DataTable } from './DataTable'
import { LoadedPages } from './LoadedPages'

type Props<Row> = Omit<ComponentProps<typeof DataTable<Row>>, 'rows'> &
  Pick<ComponentProps<typeof LoadedPages<Row>>, 'query'>

/** A table of a list that the server filters and sorts; its rows are those fetched so far. */
export function PagedTable<Row>({ query, ...table }: Props<Row>) {
  return <LoadedPages query={query}>{(rows) => <DataTable {...table} rows={rows} />}</LoadedPages>
}
