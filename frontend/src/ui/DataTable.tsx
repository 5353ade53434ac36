import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './DataTable.module.css'
import { SortSelect } from './SortSelect'
import { useScrolls } from './use-scrolls'

export interface Column<Row> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** What to sort by, in the browser; only for lists that are here as a whole. */
  sortValue?: (row: Row) => string | number
  /** The server sorts the whole list; the id of the column is its word for that. */
  sortedByServer?: 'smallest-first' | 'largest-first'
  align?: 'end'
  /** Takes the width that the others leave. */
  grow?: boolean
  /** The column that names the row; it heads the card on a phone. */
  isRowHeader?: boolean
  /** Left out between phone and wide screen, where width is scarce. */
  wideOnly?: boolean
}

interface DataTableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  rowId: (row: Row) => string
  /** "name" or "-name"; the caller keeps it in the URL. */
  sort?: string | undefined
  onSortChange?: (sort: string | undefined) => void
  rowTone?: (row: Row) => 'dim' | 'selected' | undefined
  empty?: ReactNode
}

interface Sort {
  id: string
  desc: boolean
}

const parseSort = (sort: string | undefined): Sort | undefined =>
  sort ? { id: sort.replace(/^-/, ''), desc: sort.startsWith('-') } : undefined

/** First one direction, then the other, then as if nothing were chosen. */
export function nextSort(
  current: string | undefined,
  column: string,
  isLargestFirst = false,
): string | undefined {
  const [first, second] = isLargestFirst ? [`-${column}`, column] : [column, `-${column}`]
  if (current === first) return second
  return current === second ? undefined : first
}

const compare = new Intl.Collator(undefined, { numeric: true }).compare

function sorted<Row>(rows: Row[], columns: Column<Row>[], sort: Sort | undefined): Row[] {
  const value = columns.find(({ id }) => id === sort?.id)?.sortValue
  if (!value || !sort) return rows
  const direction = sort.desc ? -1 : 1
  return rows.toSorted((first, second) => {
    const [a, b] = [value(first), value(second)]
    const isNumber = typeof a === 'number' && typeof b === 'number'
    return direction * (isNumber ? a - b : compare(String(a), String(b)))
  })
}

function SortMark({ direction }: { direction: 'asc' | 'desc' | undefined }) {
  if (direction === 'asc') return <ArrowUp size={14} aria-hidden />
  if (direction === 'desc') return <ArrowDown size={14} aria-hidden />
  return <ChevronsUpDown size={14} aria-hidden className={classes.sortable} />
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, sort, onSortChange } = props
  if (rows.length === 0 && props.empty) return <>{props.empty}</>

  const current = parseSort(sort)
  return (
    <>
      {onSortChange && <SortSelect columns={columns} sort={sort} onChange={onSortChange} />}
      <ScrollFrame label={props.label}>
        {/* On a phone rows become cards by CSS, which drops the implied roles: they are named here. */}
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <table className={classes.table} role="table" aria-label={props.label}>
          {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
          <thead role="rowgroup">
            {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
            <tr role="row">
              {columns.map((column) => {
                const direction =
                  current?.id === column.id ? (current.desc ? 'desc' : 'asc') : undefined
                const isSortable = column.sortValue ?? column.sortedByServer
                const isLargestFirst = column.sortedByServer === 'largest-first'
                return (
                  <th
                    key={column.id}
                    // biome-ignore lint/a11y/noRedundantRoles: see above
                    role="columnheader"
                    scope="col"
                    data-align={column.align}
                    data-wide={column.wideOnly}
                    data-grow={column.grow}
                    aria-sort={direction && (direction === 'asc' ? 'ascending' : 'descending')}
                  >
                    {isSortable && onSortChange ? (
                      <button
                        type="button"
                        className={classes.sort}
                        onClick={() => onSortChange(nextSort(sort, column.id, isLargestFirst))}
                      >
                        {column.header}
                        <SortMark direction={direction} />
                      </button>
                    ) : (
                      column.header
                    )}
                  </th>
                )
              })}
            </tr>
          </thead>
          {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
          <tbody role="rowgroup">
            {sorted(rows, columns, current).map((row) => (
              // biome-ignore lint/a11y/noRedundantRoles: see above
              <tr key={props.rowId(row)} role="row" data-tone={props.rowTone?.(row)}>
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
    </>
  )
}

/** A frame that scrolls needs the keyboard; one that does not is no stop on the way. */
function ScrollFrame({ label, children }: { label: string; children: ReactNode }) {
  const { ref, scrolls } = useScrolls<HTMLDivElement>()
  const reachable = scrolls ? { tabIndex: 0, role: 'group', 'aria-label': label } : {}
  return (
    <div ref={ref} className={classes.frame} {...reachable}>
      {children}
    </div>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const common = {
    'data-label': column.header,
    'data-align': column.align,
    'data-wide': column.wideOnly,
  }
  if (column.isRowHeader) {
    return (
      // biome-ignore lint/a11y/noRedundantRoles: see above
      <th scope="row" role="rowheader" {...common}>
        {column.cell(row)}
      </th>
    )
  }
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <td role="cell" {...common}>
      {column.cell(row)}
    </td>
  )
}
