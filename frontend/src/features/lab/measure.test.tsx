import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { MeasuredLoad, Measurement } from '@/api/types'
import { command, host } from '@/test/factories'
import { virtualDrive } from '@/test/factories-storage'
import { renderApp } from '@/test/render'
import { get, list, record, server } from '@/test/server'

const latency = { count: 1, mean_us: 1, p50_us: 1, p99_us: 1, p999_us: 1, max_us: 1 }

const load = (part: Partial<MeasuredLoad> = {}): MeasuredLoad => ({
  pattern: 'random',
  blocks: [{ bytes: 4096, percent: 100 }],
  write_percent: 0,
  workers: 1,
  depth: 16,
  zone_bytes: 0,
  start_bytes: 0,
  file_bytes: 0,
  duration_us: 5_000_000,
  operation_count: 4500,
  operations_per_s: 900,
  bytes_per_s: 3_686_400,
  read_latency: latency,
  write_latency: latency,
  ...part,
})

const measurement = (part: Partial<Measurement> = {}): Measurement => ({
  state: 'completed',
  reason: null,
  overwrites: false,
  seconds: 5,
  progress_percent: 100,
  started_at: '2026-08-01T10:00:00Z',
  ended_at: '2026-08-01T10:00:10Z',
  loads: [load()],
  ...part,
})

const predicted = {
  version: '0.1.0',
  drive: { profile: 'wd', model: 'WD740GD', media: 'hdd', exact: true, chosen: false },
  refused: null,
  loads: [{ operations_per_s: 1000, bytes_per_s: 4_096_000 }],
}

function serve(part: Parameters<typeof virtualDrive>[0] = {}) {
  const drive = virtualDrive(part)
  const asked = record('post', `/virtual-drives/${drive.id}/actions/measure`, command())
  const foretold = record('post', '/lab/measured', predicted)
  server.use(
    list('/hosts', [host()]),
    list('/virtual-drives', [drive]),
    get(`/virtual-drives/${drive.id}`, drive),
    asked.handler,
    foretold.handler,
  )
  return { asked, foretold }
}

describe('measuring', () => {
  it('reads without a question', async () => {
    const { asked } = serve()
    const { user } = renderApp('/lab')
    await user.click(await screen.findByRole('button', { name: 'Measure archive' }))
    await expect.poll(() => asked.requests.length).toBe(1)
    expect(asked.requests[0]?.body).toMatchObject({
      action: 'start',
      seconds: 10,
      loads: [{ pattern: 'sequential' }, { pattern: 'random', depth: 16, write_percent: 0 }],
    })
    expect(asked.requests[0]?.body).not.toHaveProperty('confirm')
  })

  it('overwrites only what was released by its name', async () => {
    const { asked } = serve()
    const { user } = renderApp('/lab?measure=%5B"randomWrites"%5D&seconds=5')
    await user.click(await screen.findByRole('button', { name: 'Overwrite and measure archive' }))
    const dialog = await screen.findByRole('dialog')
    const name = within(dialog).getByRole('textbox', { name: /^Type the name/ })
    const go = within(dialog).getByRole('button', { name: 'Overwrite and measure archive' })
    await user.type(name, 'archiv')
    await user.click(go)
    expect(asked.requests).toHaveLength(0)
    await user.type(name, 'e')
    await user.click(go)
    await expect.poll(() => asked.requests.length).toBe(1)
    expect(asked.requests[0]?.body).toMatchObject({
      confirm: 'archive',
      seconds: 5,
      loads: [{ write_percent: 100 }],
    })
  })

  it("takes loads of the reviews and of one's own", async () => {
    const { asked } = serve()
    const { user, router } = renderApp('/lab')
    const others = await screen.findByRole('group', { name: 'Other loads' })
    const kind = await within(others).findByRole('combobox', { name: 'Pattern' })
    await user.selectOptions(kind, 'W06 File server (partly assumed)')
    expect(within(others).getByText(/Assumed: the mix of block sizes/)).toBeVisible()
    await user.selectOptions(within(others).getByRole('combobox', { name: 'Queue depth' }), '16')
    const add = within(others).getByRole('button', { name: 'Add to the measurement' })
    await user.click(add)
    const added = within(others).getByRole('list', { name: 'Other loads that are measured' })
    expect(added).toHaveTextContent(
      'W06 File server (partly assumed): Random, 4 KiB × 16, 20 % writes',
    )
    await user.selectOptions(kind, 'Of your own')
    await user.selectOptions(within(others).getByRole('combobox', { name: 'Block size' }), '512 B')
    await user.click(add)
    expect(added).toHaveTextContent('Random, 512 B × 16, 0 % writes')
    expect(add).toBeDisabled() // it is there
    // Those that were offered may all be left out.
    await user.click(screen.getByRole('button', { name: 'Sequential reads, 1 MiB × 8' }))
    await user.click(screen.getByRole('button', { name: 'Random reads, 4 KiB × 16' }))
    expect(router.state.location.search).toMatchObject({
      more: ['w06-file-server/0.0.0.1', 'own/random/512/0/16'],
    })
    // A fifth of W06 writes: only with the name.
    await user.click(screen.getByRole('button', { name: 'Overwrite and measure archive' }))
    const dialog = await screen.findByRole('dialog')
    expect(asked.requests).toHaveLength(0)
    await user.type(within(dialog).getByRole('textbox'), 'archive')
    await user.click(within(dialog).getByRole('button', { name: 'Overwrite and measure archive' }))
    await expect
      .poll(() => asked.requests[0]?.body)
      .toMatchObject({
        confirm: 'archive',
        loads: [
          { pattern: 'random', write_percent: 20, depth: 16, blocks: [{ bytes: 4096 }] },
          {
            pattern: 'random',
            write_percent: 0,
            depth: 16,
            blocks: [{ bytes: 512, percent: 100 }],
          },
        ],
      })
  })

  it('measures without a question what only reads, and has at most eight', async () => {
    const { asked } = serve()
    const more = [1, 2, 3, 4, 5, 6, 7, 8].map((depth) => `own/sequential/65536/0/${depth}`)
    const { user } = renderApp(`/lab?more=${encodeURIComponent(JSON.stringify(more))}`)
    const add = await screen.findByRole('button', { name: 'Add to the measurement' })
    expect(add).toHaveAttribute('aria-disabled', 'true')
    expect(add).toHaveAccessibleDescription('A measurement has at most 8 loads.')
    await user.click(screen.getByRole('button', { name: /^Leave out .* × 8,/ }))
    expect(screen.getByRole('button', { name: 'Add to the measurement' })).not.toHaveAttribute(
      'aria-disabled',
      'true',
    )
    await user.click(await screen.findByRole('button', { name: 'Measure archive' }))
    await expect.poll(() => asked.requests.length).toBe(1)
    expect(asked.requests[0]?.body).toMatchObject({ loads: { length: 7 } })
    expect(asked.requests[0]?.body).not.toHaveProperty('confirm')
  })

  it('shows how far it is, and can be stopped', async () => {
    const { asked } = serve({
      measurement: measurement({ state: 'running', progress_percent: 40, ended_at: null }),
    })
    const { user } = renderApp('/lab')
    expect(await screen.findByRole('progressbar', { name: 'Measuring' })).toHaveAttribute(
      'aria-valuenow',
      '40',
    )
    await user.click(screen.getByRole('button', { name: 'Stop measuring' }))
    await expect.poll(() => asked.requests[0]?.body).toEqual({ action: 'stop' })
  })

  it('shows what was measured beside what was predicted', async () => {
    const { foretold } = serve({ measurement: measurement({ overwrites: true }) })
    renderApp('/lab')
    const result = await screen.findByRole('region', { name: 'Measurement of archive' })
    expect(await within(result).findByText('Measured ÷ predicted: 0.90')).toBeVisible()
    expect(within(result).getByRole('meter', { name: 'Measured' })).toHaveAttribute(
      'aria-valuetext',
      '900/s',
    )
    expect(within(result).getByRole('meter', { name: 'Predicted' })).toHaveAttribute(
      'aria-valuetext',
      '1,000/s',
    )
    expect(within(result).getByText('Its content was overwritten.')).toBeVisible()
    expect(foretold.requests[0]?.body).toMatchObject({ seconds: 5, loads: [{ depth: 16 }] })
  })

  it('says why a virtual drive cannot be measured', async () => {
    const text = 'Virtual drive archive has 1 open connections.'
    serve({ blocked: { vd_measure_start: { code: 'measure_in_use', params: {}, text } } })
    renderApp('/lab')
    const button = await screen.findByRole('button', { name: 'Measure archive' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    expect(button).toHaveAccessibleDescription(text)
  })
})
