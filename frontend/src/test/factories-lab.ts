import type {
  Choice,
  ChoicePrediction,
  LabCatalogue,
  PredictedArray,
  SavedScenario,
  Simulation,
} from '@/api/types'

/** What arraysim answers. */
export function choice(part: Partial<Choice> = {}): Choice {
  return {
    level: 'raid5',
    write_policy: 'write_back',
    write_policy_reason: null,
    chosen: false,
    refused: null,
    size_bytes: 300_000_000_000,
    figures: {
      random_read_per_s: 640,
      random_write_per_s: 160,
      sequential_read_bytes_per_s: 300e6,
      sequential_write_bytes_per_s: 150e6,
    },
    survival: {
      singles: 4,
      singles_survived: 4,
      pairs: 6,
      pairs_survived: 0,
      fatal_pairs: [0, 1, 2, 3].flatMap((one) =>
        [0, 1, 2, 3].filter((other) => other > one).map((other) => [one, other]),
      ),
    },
    rebuild: { seconds: 700, member_bytes: 73e9, sampled_bytes: 33_554_432 },
    ...part,
  }
}

export function choicePrediction(part: Partial<ChoicePrediction> = {}): ChoicePrediction {
  return {
    version: '0.1.0',
    controller: 'native',
    drive: {
      profile: 'seagate-st3400832ns',
      model: 'Seagate ST3400832NS',
      media: 'hdd',
      exact: false,
      chosen: false,
    },
    capacity_bytes: 400_000_000_000,
    host_cache_bytes: 1 << 30,
    bound: {
      operations: 1000,
      warmup_operations: 1000,
      write_operations: 1000,
      write_warmup_operations: 5000,
      sequential_operations: 500,
      sequential_warmup_operations: 500,
      cache_bytes: 16 << 20,
      random_bytes: 4096,
      random_depth: 16,
      sequential_bytes: 65536,
      sequential_depth: 4,
    },
    choices: [
      choice({ level: 'raid0', survival: null, rebuild: null }),
      choice({ write_policy: 'write_through' }),
      choice({ chosen: true }),
      choice({
        level: 'raid10',
        survival: {
          singles: 4,
          singles_survived: 4,
          pairs: 6,
          pairs_survived: 4,
          fatal_pairs: [
            [0, 1],
            [2, 3],
          ],
        },
      }),
      choice({ level: 'raid10', write_policy: 'write_through' }),
      choice({
        level: 'raid60',
        refused: 'RAID60 of 4 drives: a span is too small',
        figures: null,
        survival: null,
        rebuild: null,
      }),
    ],
    ...part,
  }
}

export function catalogue(part: Partial<LabCatalogue> = {}): LabCatalogue {
  const levels = (['raid0', 'raid1', 'raid5', 'raid6', 'raid10'] as const).map((level) => ({
    level,
    drives_min: 2,
  }))
  const base = {
    manufacturer: '',
    has_cache: true,
    cache_fitted_bytes: 0,
    cache_max_bytes: 0,
    strip_sizes_bytes: [65536, 131072],
    strip_default_bytes: 65536,
    quirks: [],
  }
  return {
    version: '0.1.0',
    controllers: [
      { ...base, name: 'native', model: 'Arraywright', ports: 0, levels },
      {
        ...base,
        name: 'lsi-92xx-hba',
        model: 'LSI 92xx',
        ports: 8,
        has_cache: false,
        levels: levels.filter(({ level }) => level !== 'raid5' && level !== 'raid6'),
      },
      {
        ...base,
        name: 'lsi-megaraid-sata-300-8x',
        model: 'LSI MegaRAID SATA 300-8X',
        ports: 8,
        cache_fitted_bytes: 128 << 20,
        cache_max_bytes: 128 << 20,
        levels,
        quirks: [{ name: 'mirror-notch', text: 'mirrors collapse at many writes' }],
      },
    ],
    drives: [
      {
        name: 'fujitsu-mba3073rc',
        model: 'FUJITSU MBA3073RC',
        manufacturer: 'Fujitsu',
        media: 'hdd',
        interface: 'sas',
        capacity_bytes: 73_543_163_904,
        rpm: 15_000,
      },
      {
        name: 'intel-x25-e',
        model: 'INTEL SSDSA2SH064G1',
        manufacturer: 'Intel',
        media: 'ssd',
        interface: 'sata',
        capacity_bytes: 64_000_000_000,
        rpm: 0,
      },
    ],
    workloads: [
      {
        name: 'w01-database',
        id: 'W01',
        title: 'Database',
        pattern: 'random',
        mixes: [[{ bytes: 8192, percent: 100 }]],
        write_percents: [0, 50, 100],
        workers: [1],
        depths: [1, 16],
        zone_bytes: 0,
        start_bytes: 0,
        file_bytes: 0,
        rating: 'none',
        assumed: [],
      },
      {
        name: 'w06-file-server',
        id: 'W06',
        title: 'File server',
        pattern: 'random',
        mixes: [[{ bytes: 4096, percent: 100 }]],
        write_percents: [20],
        workers: [1],
        depths: [1, 16],
        zone_bytes: 0,
        start_bytes: 0,
        file_bytes: 0,
        rating: 'mean',
        assumed: ['the mix of block sizes'],
      },
    ],
    ...part,
  }
}

const noLatency = { count: 0, mean_us: 0, p50_us: 0, p90_us: 0, p99_us: 0, p999_us: 0, max_us: 0 }

/** An array under the database load, with operations per second by write share and depth. */
export function predictedArray(
  part: Partial<PredictedArray> = {},
  operations: (write: number, depth: number) => number = () => 100,
): PredictedArray {
  const points = [0, 50, 100].flatMap((write) =>
    [1, 16].map((depth) => ({
      workload: 'w01-database',
      mix: [{ bytes: 8192, percent: 100 }],
      write_percent: write,
      workers: 1,
      depth,
      operations: 500,
      duration_us: 1_000_000,
      operations_per_s: operations(write, depth),
      bytes_per_s: operations(write, depth) * 8192,
      read_latency: noLatency,
      write_latency: noLatency,
      cache_filled: null,
      drives: [],
      warnings: [],
    })),
  )
  return {
    level: 'raid5',
    drives: 8,
    write_policy: 'write_back',
    effective_write_policy: 'write_back',
    write_policy_reason: null,
    read_policy: 'no_read_ahead',
    io_policy: 'direct',
    strip_bytes: 65_536,
    failed: [],
    refused: null,
    size_bytes: 514e9,
    survival: { singles: 8, singles_survived: 8, pairs: 28, pairs_survived: 0, fatal_pairs: [] },
    rebuild: { seconds: 657, member_bytes: 73e9, sampled_bytes: 33_554_432 },
    points,
    ratings: [],
    group: null,
    ...part,
  }
}

export const SIMULATION_ID = 'a'.repeat(64)

export function simulation(part: Partial<Simulation> = {}): Simulation {
  return {
    id: SIMULATION_ID,
    version: '0.1.0',
    state: 'completed',
    points: 12,
    points_done: 12,
    problem: null,
    prediction: {
      seed: 1,
      controller: 'native',
      drive: 'fujitsu-mba3073rc',
      capacity_bytes: 73_543_163_904,
      cache_bytes: 16 << 20,
      battery: 'optimal',
      arrays: [
        predictedArray({ write_policy: 'write_through' }, () => 50),
        predictedArray({}, (write) => 100 + write),
        predictedArray({ level: 'raid10' }, (write) => 200 + write),
        predictedArray({
          level: 'raid60',
          refused: 'RAID60 cannot be',
          survival: null,
          points: [],
        }),
      ],
    },
    ...part,
  }
}

/** A group that has the half of what it would have alone. */
export function predictedGroup(
  name: string,
  part: Partial<NonNullable<PredictedArray['group']>> = {},
): PredictedArray {
  const [point] = predictedArray({}, () => 100).points
  const [alone] = predictedArray({}, () => 200).points
  if (!point || !alone) throw new Error('an array has points')
  const ending = {
    state: 'optimal' as const,
    failed_requests: 0,
    latent_bytes: 0,
    bad_bytes: 0,
    rebuilding: null,
  }
  return predictedArray({
    points: [
      { ...point, read_latency: { ...noLatency, count: 500, mean_us: 3456, p99_us: 41_000 } },
    ],
    survival: null,
    rebuild: null,
    group: {
      ...ending,
      name,
      drive: 'fujitsu-mba3073rc',
      capacity_bytes: 73_543_163_904,
      alone: { ...ending, point: alone },
      ...part,
    },
  })
}

export function savedScenario(part: Partial<SavedScenario> = {}): SavedScenario {
  return {
    id: '5a7ed000-0000-4000-8000-000000000001',
    name: 'Mirrors against parity',
    scenario: {
      seed: 1,
      controller: {
        profile: 'native',
        count: 1,
        cache_bytes: 64 << 20,
        expander_bytes_per_s: 0,
        quirks: [],
      },
      drives: { profile: 'fujitsu-mba3073rc', count: 4, write_cache: true, failed: [] },
      array: {
        level: 'raid1e',
        strip_bytes: 65_536,
        write_policy: 'write_through',
        read_policy: 'no_read_ahead',
        io_policy: 'direct',
      },
      sweep: {
        levels: ['raid1e', 'raid6'],
        drive_counts: [4, 8],
        write_policies: ['write_back'],
        failures: [[], [0, 2]],
      },
      workloads: [{ profile: 'w01-database' }],
      limits: {
        operations: 2000,
        warmup_operations: 2000,
        fill_operations: 6000,
        seconds: 3600,
      },
      rebuild: true,
    },
    created_at: '2026-11-22T10:00:00Z',
    ...part,
  }
}
