import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { GroupsScenario } from '@/api/types'
import { predictedGroup, SIMULATION_ID, savedScenario, simulation } from '@/test/factories-lab'
import { renderApp } from '@/test/render'
import { get, list, record, server } from '@/test/server'
import { groupsCsvOf } from './groups-export'

const text = (name: string, level: string, trouble = 'none.0') =>
  `fujitsu-mba3073rc~4~${level}~65536~wb.nra.direct~w01-database/0.1.0.1~${trouble}~${name}`
const TWO = `/lab?view=groups&groups=${encodeURIComponent(
  JSON.stringify([text('Orders', 'raid10'), text('Files', 'raid5')]),
)}`

const done = () => {
  const whole = simulation()
  if (!whole.prediction) throw new Error('it has ended')
  const hurt = predictedGroup('Files', {
    state: 'degraded',
    failed_requests: 3,
    latent_bytes: 131_072,
    rebuilding: {
      member: 0,
      rate_percent: 30,
      state: 'running',
      rebuilt_bytes: 10e9,
      member_bytes: 40e9,
    },
  })
  return simulation({
    prediction: { ...whole.prediction, arrays: [predictedGroup('Orders'), hurt] },
  })
}

describe('groups side by side', () => {
  it('are chosen, changed, duplicated and removed, all of it in the address', async () => {
    const { user, router } = renderApp(TWO)
    const orders = await screen.findByRole('group', { name: 'Orders' })
    await user.selectOptions(within(orders).getByRole('combobox', { name: 'Level' }), 'RAID 6')
    expect(router.state.location.search).toMatchObject({
      groups: [text('Orders', 'raid6'), text('Files', 'raid5')],
    })
    await user.selectOptions(
      within(orders).getByRole('combobox', { name: /^Trouble/ }),
      'It is slow',
    )
    const longer = within(orders).getByRole('textbox', { name: 'Longer by, ms' })
    expect(longer).toHaveValue('20')
    await user.clear(longer)
    await user.type(longer, '45')
    await user.tab()
    const slow = text('Orders', 'raid6', 'slow.45')
    expect(router.state.location.search).toMatchObject({ groups: [slow, text('Files', 'raid5')] })
    const name = within(orders).getByRole('textbox', { name: 'Name' })
    await user.clear(name)
    await user.type(name, 'Bookings{Enter}')
    expect(await screen.findByRole('group', { name: 'Bookings' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Duplicate Files' }))
    expect(await screen.findByRole('group', { name: 'Files 2' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Remove Bookings' }))
    await user.click(screen.getByRole('button', { name: 'Remove Files 2' }))
    expect(router.state.location.search).toMatchObject({ groups: [text('Files', 'raid5')] })
    // The last one stays, and says why.
    expect(screen.getByRole('button', { name: 'Remove Files' })).toHaveAccessibleDescription(
      'One group has to stay.',
    )
  })

  it('are eight at most', async () => {
    const eight = Array.from({ length: 8 }, (_, index) => text(`g${index}`, 'raid5'))
    renderApp(`/lab?view=groups&groups=${encodeURIComponent(JSON.stringify(eight))}`)
    expect(await screen.findAllByRole('group', { name: /^g\d$/ })).toHaveLength(8)
    expect(screen.getByRole('button', { name: 'Add a group' })).toHaveAccessibleDescription(
      'A controller has at most 8 groups here.',
    )
  })

  it('are simulated together and alone', async () => {
    const asked = record(
      'post',
      '/lab/simulations',
      simulation({ state: 'running', points: 3, points_done: 1, prediction: null }),
    )
    server.use(asked.handler, get(`/lab/simulations/${SIMULATION_ID}`, done()))
    const { user, router } = renderApp(TWO)
    await user.selectOptions(
      await screen.findByRole('combobox', { name: 'Expander' }),
      '4 lanes of 3 Gb/s (1.2 GB/s)',
    )
    await user.click(screen.getByRole('button', { name: 'Simulate' }))
    expect(await screen.findByText('1 of 3 points')).toBeVisible()
    expect(router.state.location.search).toMatchObject({ run: 'yes', expander: 1_200_000_000 })
    expect(asked.requests[0]?.body).toMatchObject({
      controller: { expander_bytes_per_s: 1_200_000_000 },
      groups: [{ name: 'Orders' }, { name: 'Files', array: { write_policy: 'write_back' } }],
      alone: true,
    })
    const table = await screen.findByRole('table', {
      name: 'What each group does beside the others',
    })
    const [, orders, files] = within(table).getAllByRole('row')
    expect(orders).toHaveTextContent(/^Orders100\/s3\.46 ms41 ms.*Optimal5000–$/)
    expect(files).toHaveTextContent(/Degraded5003.*25\.0 %$/)
    const bars = screen.getByRole('listitem', { name: 'Files' })
    expect(within(bars).getByRole('meter', { name: 'Together' })).toHaveAttribute(
      'aria-valuenow',
      '50',
    )
    expect(within(bars).getByText('Keeps 50 % of what it has alone.')).toBeVisible()
  })

  it('say what of latent errors is left', async () => {
    const asked = record('post', '/lab/simulations', done())
    server.use(asked.handler)
    const groups = [text('Orders', 'raid10'), text('Files', 'raid5', 'latent.64')]
    renderApp(`/lab?view=groups&run=yes&groups=${encodeURIComponent(JSON.stringify(groups))}`)
    expect(await screen.findByRole('columnheader', { name: 'Unreadable' })).toBeVisible()
    expect(screen.getByRole('row', { name: /^Files.*131 kB$/ })).toBeVisible()
    expect(screen.getByText(/all measured over the same 1 s/)).toBeVisible()
  })

  it('say when a group had too few requests, and when only memory was seen', async () => {
    const stream = predictedGroup('Stream')
    const [point] = stream.points
    if (!point) throw new Error('a group has a point')
    const few = {
      ...stream,
      points: [{ ...point, operations: 12, write_percent: 100, cache_filled: false }],
    }
    const whole = done()
    if (!whole.prediction) throw new Error('it has ended')
    const arrays = [predictedGroup('Orders'), few]
    server.use(
      record('post', '/lab/simulations', {
        ...whole,
        prediction: { ...whole.prediction, arrays },
      }).handler,
    )
    renderApp(`${TWO}&run=yes`)
    expect(await screen.findByText(/^Stream: only a few requests/)).toBeVisible()
    expect(screen.getByText(/^The cache has room for more/)).toBeVisible()
  })

  it.each([
    ['groups: two groups have the name Orders', 'two groups have the name Orders'],
    [
      'groups[1]: RAID5 of 2 drives: More are needed.',
      'Files: RAID5 of 2 drives: More are needed.',
    ],
    ['groups[0].workload: no such load', 'Orders, workload: no such load'],
    ['the memory is too small', 'the memory is too small'],
  ])('say why they cannot be, by their names', async (problem, told) => {
    server.use(
      record('post', '/lab/simulations', simulation({ state: 'failed', problem, prediction: null }))
        .handler,
    )
    renderApp(`${TWO}&run=yes`)
    expect(await screen.findByText(told)).toBeVisible()
  })

  it('are a page of their own beside the comparison of arrays', async () => {
    const { user, router } = renderApp('/lab')
    await user.click(await screen.findByRole('radio', { name: 'Groups side by side' }))
    expect(await screen.findByRole('group', { name: 'Backup' })).toBeVisible()
    expect(screen.queryByRole('heading', { name: 'Measure' })).toBeNull()
    await user.click(screen.getByRole('radio', { name: 'Compare arrays' }))
    expect(await screen.findByRole('heading', { name: 'Measure' })).toBeVisible()
    expect(router.state.location.search).not.toHaveProperty('view')
  })

  it('are saved into the same list, and opened again', async () => {
    const saved = record('post', '/lab/scenarios', savedScenario())
    server.use(saved.handler)
    const first = renderApp(TWO)
    const field = await screen.findByRole('textbox', { name: 'Name of this comparison' })
    expect(field).toHaveValue('Orders (RAID 10 ×4), Files (RAID 5 ×4)')
    await first.user.click(screen.getByRole('button', { name: 'Save' }))
    const body = saved.requests[0]?.body as { scenario: GroupsScenario }
    expect(body.scenario.groups.map(({ name }) => name)).toEqual(['Orders', 'Files'])
    first.unmount()

    server.use(list('/lab/scenarios', [savedScenario({ name: 'ours', scenario: body.scenario })]))
    const { user, router } = renderApp('/lab')
    await user.click(await screen.findByRole('link', { name: 'ours' }))
    expect(await screen.findByRole('group', { name: 'Orders' })).toBeVisible()
    expect(router.state.location.search).toMatchObject({
      view: 'groups',
      groups: [text('Orders', 'raid10'), text('Files', 'raid5')],
    })
  })

  it('keep an expander out of the address that is not on the list', async () => {
    renderApp('/lab?expander=777000000')
    const expander = await screen.findByRole('combobox', { name: 'Expander' })
    expect(expander).toHaveValue('777000000')
    expect(within(expander).getByRole('option', { name: '777 MB/s' })).toBeInTheDocument()
  })

  it('are written for programs, together and alone', () => {
    const { prediction } = done()
    const lines = prediction ? groupsCsvOf(prediction).trim().split('\r\n') : []
    expect(lines).toHaveLength(1 + 2 * 2)
    expect(lines[1]).toMatch(/^native,16777216,"Orders",fujitsu-mba3073rc,8,raid5,/)
    expect(lines[3]).toMatch(/,together,500,.*,degraded,3,10000000000,131072,0$/)
    expect(lines[4]).toMatch(/,alone,500,.*,optimal,0,,0,0$/)
  })
})
