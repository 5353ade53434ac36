import type { Prediction } from '@/api/types'
import { download } from '@/lib/csv'

const COLUMNS = [
  'controller',
  'cache_bytes',
  'group',
  'drive',
  'drives',
  'level',
  'strip_bytes',
  'write_policy',
  'read_policy',
  'io_policy',
  'workload',
  'write_percent',
  'workers',
  'depth',
  'run',
  'operations',
  'duration_us',
  'operations_per_s',
  'bytes_per_s',
  'read_mean_us',
  'read_p99_us',
  'write_mean_us',
  'write_p99_us',
  'state',
  'failed_requests',
  'rebuilt_bytes',
  'latent_bytes',
  'bad_bytes',
] as const

/** A name is any text. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** Two lines for each group, together and alone; exact, numbers as programs read them. */
export function groupsCsvOf(prediction: Prediction): string {
  const lines = prediction.arrays.flatMap((array) => {
    const { group, points } = array
    const [together] = points
    if (!group || !together) return []
    const runs = [
      { run: 'together', point: together, ending: group },
      ...(group.alone ? [{ run: 'alone', point: group.alone.point, ending: group.alone }] : []),
    ]
    return runs.map(({ run, point, ending }) => [
      prediction.controller,
      prediction.cache_bytes,
      quoted(group.name),
      group.drive,
      array.drives,
      array.level,
      array.strip_bytes,
      array.write_policy,
      array.read_policy,
      array.io_policy,
      point.workload,
      point.write_percent,
      point.workers,
      point.depth,
      run,
      point.operations,
      point.duration_us,
      point.operations_per_s,
      point.bytes_per_s,
      point.read_latency.mean_us,
      point.read_latency.p99_us,
      point.write_latency.mean_us,
      point.write_latency.p99_us,
      ending.state,
      ending.failed_requests,
      ending.rebuilding?.rebuilt_bytes ?? '',
      ending.latent_bytes,
      ending.bad_bytes,
    ])
  })
  return [COLUMNS, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

export function downloadGroupsCsv(prediction: Prediction) {
  download(new Blob([groupsCsvOf(prediction)], { type: 'text/csv' }), 'arraywright-groups.csv')
}
