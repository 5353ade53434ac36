import { screen, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { SIMULATION_ID, savedScenario, simulation } from '@/test/factories-lab'
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
    expect(await screen.findByText('The simulation was cancelled.')).toBeVisible()
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
    expect(lines[1]).toMatch(/^raid5,8,write_through,65536,,w01-database,8192:100,0,1,1,50,/)
  })
})
