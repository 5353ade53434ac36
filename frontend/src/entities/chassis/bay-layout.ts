/**
 * A chassis is data: rows, columns and the order in which slots are counted. Nothing here knows a
 * model. An enclosure that does not say how it looks gets a generic grid.
 */
export interface ChassisShape {
  slot_count: number
  rows: number
  columns: number
  order: string
}

export interface BayPlace {
  slot: number
  row: number
  column: number
}

const GENERIC_COLUMNS = 4

export function layoutBays(shape: ChassisShape): BayPlace[][] {
  const columns = shape.columns > 0 ? shape.columns : Math.min(GENERIC_COLUMNS, shape.slot_count)
  const rowsNeeded = Math.ceil(shape.slot_count / Math.max(columns, 1))
  const rows = Math.max(shape.rows, rowsNeeded)
  const places: BayPlace[][] = Array.from({ length: rows }, () => [])
  for (let slot = 0; slot < shape.slot_count; slot += 1) {
    const row = shape.order === 'column_major' ? slot % rows : Math.floor(slot / columns)
    const column = shape.order === 'column_major' ? Math.floor(slot / rows) : slot % columns
    places[row]?.push({ slot, row, column })
  }
  return places
}

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/**
 * Where a key leads from a slot, as the eye sees it: arrows move by place, not by number; Home and
 * End to the ends of the row, with Ctrl to the corners. Undefined: the key means nothing here.
 */
export function moveBetweenBays(
  grid: BayPlace[][],
  from: number,
  key: string,
  ctrl: boolean,
): number | undefined {
  const here = grid.flat().find((place) => place.slot === from)
  if (here === undefined) return undefined
  const row = grid[here.row] ?? []
  if (key === 'Home') return (ctrl ? grid[0] : row)?.at(0)?.slot
  if (key === 'End') return (ctrl ? grid.at(-1) : row)?.at(-1)?.slot
  const step = STEPS[key]
  if (step === undefined) return undefined
  const target = grid[here.row + step[0]]?.find((p) => p.column === here.column + step[1])
  return target?.slot ?? from
}
