import { screen, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { predictedArray, SIMULATION_ID, savedScenario, simulation } from '@/test/factories-lab'
import { renderApp } from '@/test/render'
import { get, list, record, refuse, server } from '@/test/server'
import { csvOf } from './export'

const BOTH = '/lab?policies=%5B"write_through"%2C"write_back"%5D'

describe('lab', () => {
  it('follows a simulation to its curves, ratios and arrays', async () => {
    const asked = record(
      'post',
      '/lab/simulations',
      simulation({ state: 'running', points_done: 3, prediction: null }),
    )
    server.use(asked.handler, get(`/lab/simulations/${SIMULATION_ID}`, simulation()))
    const { user, router } = renderApp(BOTH)
    await user.click(await screen.findByRole('button', { name: 'Simulate' }))
    expect(await screen.findByText('3 of 12 points')).toBeVisible()
    expect(screen.getByRole('progressbar', { name: 'Simulating' })).toHaveAttribute(
      'aria-valuenow',
      '25',
    )
    expect(asked.requests[0]?.body).toMatchObject({
      sweep: { write_policies: ['write_through', 'write_back'] },
    })
    expect(
      await screen.findByRole('img', { name: /^Database: operations\/s over share of writes/ }),
    ).toBeVisible()
    expect(router.state.location.search).toMatchObject({ run: 'yes' })
    const ratio = screen.getByRole('region', { name: 'Write-back ÷ write-through: RAID 5' })
    expect(within(ratio).getAllByRole('row')[1]).toHaveTextContent(/^12\.003\.004\.00$/)
    const arrays = screen.getByRole('table', { name: 'The arrays that are compared' })
    expect(within(arrays).getByText('RAID60 cannot be')).toBeVisible()
  })

  it('offers what the chosen controller has', async () => {
    const asked = record('post', '/lab/simulations', simulation())
    server.use(asked.handler)
    const { user, router } = renderApp('/lab')
    const cache = await screen.findByRole('combobox', { name: 'Cache of the controller' })
    expect(screen.queryByRole('group', { name: 'Oddities of this model' })).toBeNull()
    const controller = screen.getByRole('combobox', { name: 'Controller' })
    await user.selectOptions(controller, 'LSI 92xx')
    expect(screen.queryByRole('button', { name: 'Write-back' })).toBeNull()
    expect(screen.getByText(/nothing can be written back/)).toBeVisible()
    expect(cache).toBeDisabled()
    await user.selectOptions(controller, 'LSI MegaRAID SATA 300-8X')
    expect(screen.getByRole('button', { name: 'Write-back' })).toBeVisible()
    expect(
      within(cache)
        .getAllByRole('option')
        .map((each) => each.textContent),
    ).toEqual(['None', '16 MiB', '64 MiB', '128 MiB'])
    const oddity = screen.getByRole('checkbox', { name: 'Mirror notch' })
    expect(oddity).not.toBeChecked()
    expect(oddity).toHaveAccessibleDescription('mirrors collapse at many writes')
    await user.click(oddity)
    await user.selectOptions(screen.getByRole('combobox', { name: 'How many controllers' }), '2')
    await user.click(screen.getByRole('button', { name: 'Simulate' }))
    expect(router.state.location.search).toMatchObject({ quirks: ['mirror-notch'] })
    expect(asked.requests[0]?.body).toMatchObject({
      controller: { profile: 'lsi-megaraid-sata-300-8x', count: 2, quirks: ['mirror-notch'] },
    })
    // Another model does not have them.
    await user.selectOptions(controller, 'Arraywright')
    expect(router.state.location.search).not.toHaveProperty('quirks')
  })

  it('compares with a single drive, and with other policies', async () => {
    const asked = record('post', '/lab/simulations', simulation())
    server.use(asked.handler)
    const { user, router } = renderApp('/lab?levels=%5B"raid5"%5D')
    await user.click(await screen.findByRole('button', { name: 'Single' }))
    expect(screen.getByText(/^A single drive is RAID 0 of one/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'RAID 0' }))
    expect(screen.queryByText(/^A single drive is RAID 0 of one/)).toBeNull()
    const io = screen.getByRole('combobox', { name: 'I/O policy' })
    await user.selectOptions(io, 'Cached')
    await user.selectOptions(screen.getByRole('combobox', { name: /own caches$/ }), 'Off')
    await user.click(screen.getByRole('button', { name: 'Simulate' }))
    expect(router.state.location.search).toMatchObject({
      counts: ['1', '8'],
      io: 'cached',
      driveCache: 'off',
    })
    expect(asked.requests[0]?.body).toMatchObject({
      drives: { count: 1, write_cache: false },
      array: { io_policy: 'cached' },
      sweep: { levels: ['raid0', 'raid5'], drive_counts: [1, 8] },
    })
    // Without a cache nothing that was read is kept.
    await user.selectOptions(
      screen.getByRole('combobox', { name: 'Cache of the controller' }),
      'None',
    )
    expect(io).toBeDisabled()
    expect(io).toHaveValue('direct')
  })

  it('marks loads of which the reviews do not say all', async () => {
    const { user } = renderApp('/lab')
    const load = await screen.findByRole('combobox', { name: 'Load' })
    expect(within(load).getByRole('option', { name: 'W01 Database' })).toBeVisible()
    await user.selectOptions(load, 'W06 File server (partly assumed)')
    expect(screen.getByText(/Assumed: the mix of block sizes\./)).toBeVisible()
  })

  it('forgets what was simulated when the choice changes', async () => {
    server.use(record('post', '/lab/simulations', simulation()).handler)
    const { user, router } = renderApp(`${BOTH}&run=yes`)
    expect(await screen.findByRole('heading', { name: /^Database:/ })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'RAID 1' }))
    expect(await screen.findByText('Nothing simulated yet')).toBeVisible()
    expect(router.state.location.search).toMatchObject({
      levels: ['raid0', 'raid1', 'raid5', 'raid6', 'raid10'],
    })
  })

  it('can be cancelled', async () => {
    const running = simulation({ state: 'running', points_done: 0, prediction: null })
    server.use(
      record('post', '/lab/simulations', running).handler,
      get(`/lab/simulations/${SIMULATION_ID}`, running),
      http.post(`http://localhost/api/v1/lab/simulations/${SIMULATION_ID}/cancel`, () =>
        HttpResponse.json({ ...running, state: 'cancelled' }),
      ),
    )
    const { user } = renderApp(`${BOTH}&run=yes`)
    await user.click(await screen.findByRole('button', { name: 'Cancel' }))
    expect(await screen.findByText('The simulation was canceled.')).toBeVisible()
  })

  it('saves a comparison under a name, and shows what the server objects to', async () => {
    server.use(refuse('post', '/lab/scenarios', 409, 'name_taken', 'You have that one already.'))
    const { user } = renderApp('/lab?levels=%5B"raid5"%5D&effort=fine')
    const name = await screen.findByRole('textbox', { name: 'Name of this comparison' })
    expect(name).toHaveValue('Database, RAID 5, 8 × FUJITSU MBA3073RC')
    await user.clear(name)
    await user.type(name, 'ours')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('You have that one already.')).toBeVisible()

    const saved = record('post', '/lab/scenarios', savedScenario())
    server.use(saved.handler, list('/lab/scenarios', [savedScenario({ name: 'ours' })]))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByRole('link', { name: 'ours' })).toBeVisible()
    expect(saved.requests[0]?.body).toMatchObject({
      name: 'ours',
      scenario: {
        sweep: { levels: ['raid5'] },
        limits: { operations: 8000, fill_operations: 12_000 },
      },
    })
  })

  it('opens what was saved as it was, and deletes it', async () => {
    const { id } = savedScenario()
    const gone = record('delete', `/lab/scenarios/${id}`, null)
    server.use(list('/lab/scenarios', [savedScenario({ name: 'ours' })]), gone.handler)
    const { user, router } = renderApp('/lab')
    await user.click(await screen.findByRole('link', { name: 'ours' }))
    expect(router.state.location.search).toMatchObject({
      drive: 'fujitsu-mba3073rc',
      counts: ['4', '8'],
      levels: ['raid1e', 'raid6'],
      policies: ['write_back'],
      failures: ['0', '2'],
      cache: 64,
      effort: 'normal',
    })
    expect(screen.getByRole('button', { name: 'RAID 6' })).toHaveAttribute('aria-pressed', 'true')
    server.use(list('/lab/scenarios', []))
    await user.click(screen.getByRole('button', { name: 'Delete ours' }))
    expect(await screen.findByText('Nothing is saved yet.')).toBeVisible()
    expect(gone.requests).toHaveLength(1)
  })

  it('says why nothing can be simulated', async () => {
    server.use(refuse('get', '/lab/catalogue', 503, 'lab_unavailable', 'No arraysim here.'))
    renderApp('/lab')
    expect(await screen.findByText('No arraysim here.')).toBeVisible()
  })

  it('bears an address that names what is not known', async () => {
    renderApp('/lab?drive=nobody&run=yes')
    expect(await screen.findByText(/names a model that is not known/)).toBeVisible()
  })

  it('writes every point for programs', () => {
    const { prediction } = simulation()
    const lines = prediction ? csvOf(prediction).trim().split('\r\n') : []
    expect(lines).toHaveLength(1 + 3 * 6)
    expect(lines[1]).toMatch(
      /^native,fujitsu-mba3073rc,raid5,8,write_through,no_read_ahead,direct,65536,,w01-database,8192:100,0,1,1,50,/,
    )
    expect(lines[1]).toMatch(/,,$/) // this load has no rating
  })

  it('writes the rating of a load beside each of its points', () => {
    const { prediction } = simulation()
    if (!prediction) throw new Error('it has ended')
    const rated = predictedArray({
      ratings: [
        {
          workload: 'w01-database',
          formula: 'mean',
          write_percent: 50,
          workers: 1,
          mix: [{ bytes: 8192, percent: 100 }],
          value: 1234.5,
        },
      ],
    })
    const [head = '', ...lines] = csvOf({ ...prediction, arrays: [rated] })
      .trim()
      .split('\r\n')
    const columns = head.split(',')
    const column = (name: string) => lines.map((line) => line.split(',')[columns.indexOf(name)])
    expect(column('write_percent')).toEqual(['0', '0', '50', '50', '100', '100'])
    expect(column('rating')).toEqual(['', '', '1234.5', '1234.5', '', ''])
    expect(column('rating_formula')).toEqual(['', '', 'mean', 'mean', '', ''])
    expect(new Set(column('drive'))).toEqual(new Set(['fujitsu-mba3073rc']))
  })
})
