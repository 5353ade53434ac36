import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import * as make from '@/test/factories'
import { choice, choicePrediction } from '@/test/factories-lab'
import { renderApp } from '@/test/render'
import { list, record, refuse, server } from '@/test/server'
import { rowsOf } from './ChoiceTable'

const ADDRESS = `/hosts/${make.HOST_ID}/create`
const free = () => [0, 1, 2, 3, 4].map((slot) => make.drive(slot))

async function panel() {
  return screen.findByRole('region', { name: 'What it would do' })
}

describe('prediction in the wizard', () => {
  it('asks about the wish and shows it next to the alternatives', async () => {
    const asked = record('post', '/lab/choices', choicePrediction())
    server.use(
      list('/drives', free()),
      record('post', '/virtual-drives/preview', make.preview()).handler,
      asked.handler,
    )
    renderApp(ADDRESS)
    const own = within(await panel())
    const table = await own.findByRole('table', { name: 'The choice next to its alternatives' })
    expect(asked.requests.at(-1)?.body).toMatchObject({
      controller_id: make.CONTROLLER_ID,
      level: 'raid5',
      drive_ids: [0, 1, 2, 3].map(make.driveId),
      write_policy: 'write_back',
    })
    const [, first, second] = within(table).getAllByRole('row')
    expect(first).toHaveTextContent(/RAID 5.*your choice.*640\/s.*160\/s.*300 MB\/s.*11 min 40 s/)
    expect(second).toHaveTextContent(/RAID 5.*write-through/i)
    expect(own.getByText(/None of 6 pairs of failures is survived/)).toBeVisible()
    expect(own.getByText(/arraysim 0\.1\.0, not measured: 1,000 random reads/)).toBeVisible()
    expect(own.getByText(/A cache of 16 MiB stands for that of the controller/)).toBeVisible()
    expect(own.getByText(/predicted as Seagate ST3400832NS, the most similar one/)).toBeVisible()
    expect(own.getByText('RAID 60: RAID60 of 4 drives: a span is too small')).toBeVisible()
  })

  it('says why write-back is predicted as write-through', async () => {
    const why = 'There is no battery, so writes go through to the drives.'
    server.use(
      list('/drives', free()),
      record('post', '/virtual-drives/preview', make.preview()).handler,
      record(
        'post',
        '/lab/choices',
        choicePrediction({ choices: [choice({ chosen: true, write_policy_reason: why })] }),
      ).handler,
    )
    renderApp(ADDRESS)
    const own = within(await panel())
    expect(await own.findByText(`Write-back is predicted as write-through. ${why}`)).toBeVisible()
  })

  it('shows each pair of failures', async () => {
    const answer = choicePrediction({
      choices: [choicePrediction().choices.find((each) => each.level === 'raid10')].flatMap(
        (each) => (each ? { ...each, chosen: true } : []),
      ),
    })
    server.use(
      list('/drives', free()),
      record('post', '/virtual-drives/preview', make.preview()).handler,
      record('post', '/lab/choices', answer).handler,
    )
    const { user } = renderApp(ADDRESS)
    const own = within(await panel())
    await user.click(await own.findByText('Each pair of failures'))
    expect(own.getAllByRole('img', { name: 'data lost' })).toHaveLength(4)
    expect(own.getAllByRole('img', { name: 'survived' })).toHaveLength(8)
    expect(own.getByText(/4 of 6 pairs of failures are survived/)).toBeVisible()
  })

  it('predicts as another model', async () => {
    const asked = record('post', '/lab/choices', choicePrediction())
    server.use(
      list('/drives', free()),
      record('post', '/virtual-drives/preview', make.preview()).handler,
      asked.handler,
    )
    const { user } = renderApp(ADDRESS)
    const own = within(await panel())
    await user.selectOptions(
      await own.findByRole('combobox', { name: 'As if the drives were' }),
      'intel-x25-e',
    )
    await waitFor(() =>
      expect(asked.requests.at(-1)?.body).toMatchObject({ drive_profile: 'intel-x25-e' }),
    )
  })

  it('says why nothing can be predicted, and does not stand in the way', async () => {
    server.use(
      list('/drives', free()),
      record('post', '/virtual-drives/preview', make.preview()).handler,
      refuse('post', '/lab/choices', 503, 'lab_unavailable', 'There is no program arraysim here.'),
    )
    renderApp(ADDRESS)
    expect(await screen.findByText('There is no program arraysim here.')).toBeVisible()
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Create' })).not.toHaveAttribute('aria-disabled'),
    )
  })
})

describe('rows of the table', () => {
  it('has the choice first, then its level, then the others that write like it', () => {
    const rows = rowsOf(choicePrediction().choices).map(
      ({ level, write_policy }) => `${level} ${write_policy}`,
    )
    expect(rows).toEqual([
      'raid5 write_back',
      'raid5 write_through',
      'raid0 write_back',
      'raid10 write_back',
    ])
  })

  it('bears an answer in which nothing is chosen', () => {
    expect(rowsOf([choice()])).toEqual([])
  })
})
