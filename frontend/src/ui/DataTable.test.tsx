import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { renderUi } from '@/test/render'
import { type Column, DataTable, nextSort } from './DataTable'

interface Row {
  name: string
  size: number
}

const columns: Column<Row>[] = [
  { id: 'name', header: 'Name', isRowHeader: true, sortValue: (r) => r.name, cell: (r) => r.name },
  { id: 'size', header: 'Size', sortValue: (r) => r.size, cell: (r) => r.size },
  { id: 'note', header: 'Note', cell: () => '–' },
]
const rows = [
  { name: 'b', size: 9 },
  { name: 'a', size: 100 },
  { name: 'c', size: 30 },
]

function Table() {
  const [sort, setSort] = useState<string | undefined>()
  return (
    <DataTable
      label="Things"
      columns={columns}
      rows={rows}
      rowId={(row) => row.name}
      sort={sort}
      onSortChange={setSort}
    />
  )
}

const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent)

describe('DataTable', () => {
  it('sorts by numbers as numbers, both ways, and back', async () => {
    const { user } = renderUi(<Table />)
    const header = screen.getByRole('columnheader', { name: 'Size' })
    const button = within(header).getByRole('button')
    await user.click(button)
    expect(names()).toEqual(['b', 'c', 'a'])
    expect(header).toHaveAttribute('aria-sort', 'ascending')
    await user.click(button)
    expect(names()).toEqual(['a', 'c', 'b'])
    await user.click(button)
    expect(names()).toEqual(['b', 'a', 'c'])
    expect(header).not.toHaveAttribute('aria-sort')
  })

  it('is sorted by a field where cards stand in place of the header', async () => {
    const { user } = renderUi(<Table />)
    const field = screen.getByLabelText('Sort by')
    expect(within(field).queryByText(/Note/)).toBeNull()
    await user.selectOptions(field, 'Size, descending')
    expect(names()).toEqual(['a', 'c', 'b'])
    await user.selectOptions(field, 'Name, ascending')
    expect(names()).toEqual(['a', 'b', 'c'])
  })

  it('offers no sorting where there is nothing to sort by', () => {
    renderUi(<Table />)
    const header = screen.getByRole('columnheader', { name: 'Note' })
    expect(within(header).queryByRole('button')).toBeNull()
  })

  it('leaves the order of what the server sorts as it comes', async () => {
    const sorts: (string | undefined)[] = []
    const byServer: Column<Row> = {
      id: 'size',
      header: 'Size',
      isRowHeader: true,
      sortedByServer: 'largest-first',
      cell: (row) => row.size,
    }
    const { user } = renderUi(
      <DataTable
        label="Things"
        columns={[byServer]}
        rows={rows}
        rowId={(row) => row.name}
        sort="size"
        onSortChange={(sort) => sorts.push(sort)}
      />,
    )
    expect(names()).toEqual(['9', '100', '30'])
    await user.click(screen.getByRole('button', { name: 'Size' }))
    expect(sorts).toEqual([undefined])
  })

  it('reads and writes the sort of an address', () => {
    expect(nextSort('name', 'size')).toBe('size')
    expect(nextSort('size', 'size')).toBe('-size')
    expect(nextSort('-size', 'size')).toBeUndefined()
    expect(nextSort('name', 'size', true)).toBe('-size')
    expect(nextSort('-size', 'size', true)).toBe('size')
  })
})
