import { screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { PredictedArray } from '@/api/types'
import { predictedArray, simulation } from '@/test/factories-lab'
import { renderApp } from '@/test/render'
import { record, server } from '@/test/server'

const rating = (value: number, formula: 'mean' | 'short_queues' = 'mean') => [
  {
    workload: 'w06-file-server',
    formula,
    write_percent: 20,
    workers: 1,
    mix: [{ bytes: 4096, percent: 100 }],
    value,
  },
]

function serve(arrays: PredictedArray[]) {
  const answer = simulation()
  if (!answer.prediction) throw new Error('it has ended')
  const prediction = { ...answer.prediction, arrays }
  server.use(record('post', '/lab/simulations', { ...answer, prediction }).handler)
}

const ADDRESS = '/lab?policies=%5B"write_back"%5D&failures=%5B"0"%2C"1"%5D&run=yes'

describe('ratings', () => {
  it('have a bar for each array, the best first and full', async () => {
    serve([
      predictedArray({ level: 'raid5', ratings: rating(1200.4) }),
      predictedArray({ level: 'raid10', ratings: rating(2400) }),
      predictedArray({ level: 'raid6', ratings: rating(600) }),
    ])
    renderApp(ADDRESS)
    expect(await screen.findByRole('heading', { name: 'Ratings' })).toBeVisible()
    expect(screen.getByText('Mean of operations per second over the queue depths.')).toBeVisible()
    const bars = ['RAID 10', 'RAID 5', 'RAID 6'].map((name) => screen.getByRole('meter', { name }))
    expect(bars.map((bar) => bar.getAttribute('aria-valuetext'))).toEqual(['2,400', '1,200', '600'])
    expect(bars.map((bar) => bar.getAttribute('aria-valuenow'))).toEqual(['100', '50', '25'])
    const [first, second, third] = bars
    if (!first || !second || !third) throw new Error('there are three')
    expect(first.compareDocumentPosition(second)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    expect(second.compareDocumentPosition(third)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })

  it('say which formula they go by', async () => {
    serve([predictedArray({ ratings: rating(10, 'short_queues') })])
    renderApp(ADDRESS)
    expect(await screen.findByText(/short queues counting most/)).toBeVisible()
  })

  it('are not shown where the load has none', async () => {
    serve([predictedArray()])
    renderApp(ADDRESS)
    expect(await screen.findByRole('heading', { name: /^Database:/ })).toBeVisible()
    expect(screen.queryByRole('heading', { name: 'Ratings' })).toBeNull()
  })
})

describe('a cache that is not full', () => {
  const MEMORY = /how fast the memory takes them/
  const withCache = (filled: (writes: number) => boolean | null) => {
    const array = predictedArray()
    const points = array.points.map((point) => ({
      ...point,
      cache_filled: filled(point.write_percent),
    }))
    serve([{ ...array, points }])
  }

  it('is spoken of where most requests write', async () => {
    withCache((writes) => (writes === 0 ? null : writes >= 50))
    renderApp(ADDRESS)
    expect(await screen.findByRole('heading', { name: /^Database:/ })).toBeVisible()
    expect(screen.queryByText(MEMORY)).toBeNull()
  })

  it('is not what the drives do', async () => {
    withCache((writes) => (writes === 0 ? null : false))
    renderApp(ADDRESS)
    expect(await screen.findByText(MEMORY)).toBeVisible()
  })
})

describe('what a prediction says against itself', () => {
  it('is told once for each kind, with the number of points', async () => {
    const array = predictedArray()
    const warnings = [{ code: 'run_too_short', text: 'The run is too short: 5 operations.' }]
    const points = array.points.map((point, index) => (index < 2 ? { ...point, warnings } : point))
    serve([{ ...array, points }])
    renderApp(ADDRESS)
    expect(
      await screen.findByText(/^2 of 6 points: The run is too short: 5 operations\.$/),
    ).toBeVisible()
  })

  it('names the arrays that a battery rule makes write through', async () => {
    serve([
      predictedArray({
        effective_write_policy: 'write_through',
        write_policy_reason: 'There is no battery.',
      }),
    ])
    renderApp(ADDRESS)
    expect(
      await screen.findByText(/^Predicted with write-through: .+\. There is no battery\.$/),
    ).toBeVisible()
  })
})

describe('degraded against healthy', () => {
  it('divides each degraded array by its own healthy one', async () => {
    serve([
      predictedArray({ failed: [] }, () => 200),
      predictedArray({ failed: [0] }, (write) => 100 + write),
      predictedArray({ level: 'raid10', failed: [] }, () => 400),
      predictedArray({ level: 'raid10', failed: [0] }, () => 400),
      // Its healthy one was not simulated.
      predictedArray({ level: 'raid6', failed: [0] }, () => 1),
    ])
    renderApp(ADDRESS)
    const parity = await screen.findByRole('region', {
      name: 'Degraded ÷ healthy: RAID 5',
    })
    const [, one] = within(parity).getAllByRole('row')
    expect(one).toHaveTextContent(/^10\.500\.751\.00$/)
    const cells = within(parity).getAllByRole('cell')
    expect(cells.slice(0, 3).map((cell) => cell.getAttribute('data-tone'))).toEqual([
      'much-less',
      'less',
      'same',
    ])
    const mirrors = screen.getByRole('region', { name: 'Degraded ÷ healthy: RAID 10' })
    expect(within(mirrors).getAllByRole('row')[1]).toHaveTextContent(/^11\.001\.001\.00$/)
    expect(screen.queryByRole('region', { name: 'Degraded ÷ healthy: RAID 6' })).toBeNull()
    expect(screen.queryByRole('heading', { name: 'Write-back ÷ write-through' })).toBeNull()
  })
})

describe('the picture', () => {
  afterEach(() => vi.restoreAllMocks())

  it('is drawn with a line and a name for each array, and is a PNG', async () => {
    serve([
      predictedArray({}, (write) => 100 + write),
      predictedArray({ level: 'raid10' }, (write) => 200 + write),
    ])
    const texts: string[] = []
    const lines: number[] = []
    let points = 0
    const context = {
      canvas: { height: 0 },
      fillText: (text: string) => texts.push(text),
      lineTo: () => points++,
      stroke: () => lines.push(points),
      fillRect: vi.fn(),
      beginPath: () => {
        points = 0
      },
      moveTo: vi.fn(),
      setLineDash: vi.fn(),
    }
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never)
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((done) =>
      done(new Blob(['png'], { type: 'image/png' })),
    )
    const urls = { create: vi.fn((_: Blob) => 'blob:picture'), revoke: vi.fn() }
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: urls.create, revokeObjectURL: urls.revoke }),
    )
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
    const { user } = renderApp(ADDRESS)
    await user.click(await screen.findByRole('button', { name: 'Picture (PNG)' }))
    expect(texts).toEqual(
      expect.arrayContaining(['RAID 5', 'RAID 10', '0 %', '50 %', '100 %', 'share of writes']),
    )
    expect(texts.find((text) => text.startsWith('Database: operations/s'))).toBeDefined()
    // Five of the grid; then of each array its curve over three steps and the line of its name.
    expect(lines).toEqual([1, 1, 1, 1, 1, 3, 1, 3, 1])
    expect(urls.create.mock.calls[0]?.[0].type).toBe('image/png')
    expect((click.mock.contexts[0] as HTMLAnchorElement).download).toBe('arraywright-lab.png')
    expect(urls.revoke).toHaveBeenCalledWith('blob:picture')
  })
})
