import type {
  Battery,
  Cache,
  Controller,
  Drive,
  DriveGroup,
  Enclosure,
  Latency,
  MetricHistory,
  Operation,
  Reason,
  VirtualDrive,
} from '@/api/types'

/** What a host reports, as the server sends it. */
export const TIME = '2026-11-20T12:00:00Z'
export const HOST_ID = '00000000-0000-4000-8000-000000000001'
export const CONTROLLER_ID = '00000000-0000-4000-8000-0000000000c0'
const ENCLOSURE_ID = '00000000-0000-4000-8000-0000000000e0'
export const GROUP_ID = '00000000-0000-4000-8000-0000000000d0'
export const VIRTUAL_DRIVE_ID = '00000000-0000-4000-8000-0000000000f0'

export const BATTERY_ID = '00000000-0000-4000-8000-0000000000bb'

export const driveId = (slot: number) => `00000000-0000-4000-8000-00000000010${slot}`

export function reason(code: string, text: string, params: Record<string, string> = {}): Reason {
  return { code, text, params }
}

const reported = {
  host_id: HOST_ID,
  host_name: 'alpha',
  rev: 1,
  config_rev: 'a-7',
  online: true,
  stale_since: null,
  limited: [],
}

const level = (name: Controller['levels'][number]['level'], min: number, multiple = 1) => ({
  level: name,
  drives_min: min,
  drives_max: 32,
  drives_multiple: multiple,
  drives_per_span_default: 0,
  description: `About ${name}.`,
})

export function controller(part: Partial<Controller> = {}): Controller {
  return {
    ...reported,
    id: CONTROLLER_ID,
    key: 'c0',
    index: 0,
    path: '/c0',
    uuid: '11111111-2222-3333-4444-555555555555',
    model: 'Arraywright native',
    serial: 'AW0001',
    firmware_version: '0.1.0',
    profile: 'native',
    status: 'optimal',
    cache_bytes: 0,
    battery: 'absent',
    rebuild_rate_percent: 30,
    bgi_rate_percent: 30,
    glitch_seconds: 5,
    coercion: 'mib_128',
    patrol_mode: null,
    patrol_rate_percent: null,
    patrol_delay_hours: null,
    patrol_ssds: null,
    patrol_drives_max: null,
    patrol: null,
    auto_rebuild: true,
    copyback: true,
    predictive_copyback: false,
    emergency_spare: false,
    emergency_unconfigured: false,
    mixed_media: false,
    mixed_interfaces: true,
    levels: [
      level('raid0', 1),
      level('raid1', 2),
      level('raid5', 3),
      level('raid6', 4),
      level('raid10', 4, 2),
    ],
    strip_sizes_bytes: [65_536, 131_072],
    strip_default_bytes: 65_536,
    nbd_tcp: null,
    cache: null,
    no_battery_rule: null,
    presets: [
      {
        name: 'maximum-performance',
        write_policy: 'write_back',
        read_policy: 'adaptive_read_ahead',
        io_policy: 'direct',
        drive_cache_policy: 'on',
        degraded_policy: 'keep',
      },
      {
        name: 'safest',
        write_policy: 'write_through',
        read_policy: 'no_read_ahead',
        io_policy: 'direct',
        drive_cache_policy: 'off',
        degraded_policy: 'write_through',
      },
    ],
    vocabulary: 'megaraid',
    blocked: {},
    ...part,
  }
}

/** A controller whose host has a patrol read; `patrol` is what it does. */
export function patrolled(
  patrol: Partial<NonNullable<Controller['patrol']>> = {},
  part: Partial<Controller> = {},
): Controller {
  return controller({
    patrol_mode: 'auto',
    patrol_rate_percent: 30,
    patrol_delay_hours: 168,
    patrol_ssds: false,
    patrol_drives_max: 8,
    patrol: {
      next_at: '2026-12-24T03:00:00Z',
      last_at: TIME,
      iterations: 3,
      operation_id: null,
      drives_done: 4,
      drives_total: 4,
      errors: 0,
      ...patrol,
    },
    ...part,
  })
}

export function enclosure(part: Partial<Enclosure> = {}): Enclosure {
  return {
    ...reported,
    id: ENCLOSURE_ID,
    key: 'e252',
    controller_id: CONTROLLER_ID,
    eid: 252,
    path: '/c0/e252',
    model: 'Shelf',
    slot_count: 8,
    rows: 2,
    columns: 4,
    order: 'row_major',
    emulated: true,
    hot_swap: null,
    ...part,
  }
}

export function drive(slot: number, part: Partial<Drive> = {}): Drive {
  return {
    ...reported,
    id: driveId(slot),
    key: `d${slot}`,
    controller_id: CONTROLLER_ID,
    enclosure_id: ENCLOSURE_ID,
    eid: 252,
    slot,
    did: slot,
    path: `/c0/e252/s${slot}`,
    state: 'unconfigured_good',
    present: true,
    foreign: false,
    size_bytes: 4_000_000_000,
    usable_bytes: 3_900_000_000,
    uncoerced_bytes: 3_900_000_000,
    block_bytes: 512,
    physical_block_bytes: 4096,
    media: 'hdd',
    interface: 'file',
    health: null,
    patrol: null,
    vendor: '',
    rotation_rpm: null,
    link_speed_mbps: null,
    link_lanes: null,
    device_speed_mbps: null,
    model: 'EMU 4G',
    serial: `SN${slot}`,
    wwn: '',
    firmware: '1',
    device: `/d${slot}`,
    write_cache: 'on',
    temperature_c: 30,
    emulated: true,
    drive_group_id: null,
    span: null,
    row: null,
    hot_spare: null,
    media_error_count: 0,
    other_error_count: 0,
    predictive_failure_count: 0,
    locating: false,
    locate_ends_at: null,
    spun_down: false,
    unsuitable: null,
    state_reason: null,
    faults: [],
    bad_block_count: null,
    blocked: {},
    ...part,
  }
}

export function member(row: number, part: Partial<Drive> = {}): Drive {
  return drive(row, { state: 'online', drive_group_id: GROUP_ID, span: 0, row, ...part })
}

export function group(part: Partial<DriveGroup> = {}): DriveGroup {
  return {
    ...reported,
    id: GROUP_ID,
    key: 'g0',
    controller_id: CONTROLLER_ID,
    index: 0,
    path: '/c0/d0',
    guid: '0'.repeat(48),
    level: 'raid5',
    state: 'optimal',
    size_bytes: 12_000_000_000,
    free_bytes: 0,
    span_count: 1,
    drives_per_span: 4,
    members: [0, 1, 2, 3].map((row) => ({
      span: 0,
      row,
      drive_id: driveId(row),
      state: 'online' as const,
      serial: `SN${row}`,
      last_copy: false,
    })),
    virtual_drive_ids: [VIRTUAL_DRIVE_ID],
    spare_ids: [],
    spare_choices: [],
    span_states: null,
    blocked: {},
    ...part,
  }
}

export function virtualDrive(part: Partial<VirtualDrive> = {}): VirtualDrive {
  return {
    ...reported,
    id: VIRTUAL_DRIVE_ID,
    key: 'v0',
    controller_id: CONTROLLER_ID,
    drive_group_id: GROUP_ID,
    index: 0,
    path: '/c0/v0',
    guid: '1'.repeat(48),
    name: 'archive',
    level: 'raid5',
    state: 'optimal',
    consistent: true,
    access: 'read_write',
    size_bytes: 12_000_000_000,
    block_bytes: 512,
    strip_bytes: 65_536,
    span_count: 1,
    drives_per_span: 4,
    drive_failures_left: 1,
    write_policy: {
      requested: 'write_back',
      effective: 'write_through',
      reason: reason('no_cache_memory', 'No cache memory is fitted.'),
    },
    read_policy: {
      requested: 'read_ahead',
      effective: 'read_ahead',
      reason: reason('as_requested', 'As requested.'),
    },
    io_policy: 'direct',
    drive_cache_policy: 'default',
    degraded_policy: 'keep',
    effective_io_policy: {
      requested: 'direct',
      effective: 'direct',
      reason: reason('as_requested', 'As requested.'),
    },
    effective_drive_cache: {
      requested: 'default',
      effective: 'on',
      reason: reason('drive_cache_own', 'Each drive keeps the setting it came with.'),
    },
    effective_degraded_policy: {
      requested: 'keep',
      effective: 'keep',
      reason: reason('as_requested', 'As requested.'),
    },
    effective_access: {
      requested: 'read_write',
      effective: 'read_write',
      reason: reason('as_requested', 'As requested.'),
    },
    preset: null,
    guarantee: reason('guarantee_write_through', 'After a flush they are on the drives.'),
    created_at: TIME,
    exports: [
      { kind: 'nbd_unix', uri: 'nbd+unix:///archive?socket=/run/nbd.sock', connections: 0 },
    ],
    media_error_count: 0,
    operation_ids: [],
    measurement: null,
    consistency_check: null,
    expansion: null,
    stripe_log: null,
    stripe_log_mode: null,
    hedged_reads: null,
    effective_stripe_log: null,
    effective_hedged_reads: null,
    hedged_read_count: null,
    cache: null,
    cache_flush: 'none',
    read_ahead: null,
    stripe: null,
    lost_writes: null,
    bad_block_count: null,
    blocked: {},
    ...part,
  }
}

export function operation(part: Partial<Operation> = {}): Operation {
  return {
    ...reported,
    id: '00000000-0000-4000-8000-00000000000b',
    key: 'op1',
    controller_id: CONTROLLER_ID,
    kind: 'rebuild',
    state: 'running',
    target_kind: 'drive',
    target_id: driveId(4),
    target_path: '/c0/e252/s4',
    target_name: null,
    source_id: null,
    source_path: null,
    drive_group_id: GROUP_ID,
    done_bytes: 1_000_000_000,
    total_bytes: 4_000_000_000,
    progress_percent: 25,
    speed_bytes_per_s: 100_000_000,
    time_left_s: 30,
    started_at: TIME,
    ended_at: null,
    reason: null,
    blocked: {},
    ...part,
  }
}

export function cache(part: Partial<Cache> = {}): Cache {
  return {
    medium: 'shared_memory',
    state: 'ready',
    state_reason: null,
    size_bytes: 1_000_000_000,
    survives_agent: true,
    survives_power_loss: true,
    stable: true,
    used_bytes: 500_000_000,
    dirty_bytes: 250_000_000,
    dirty_limit_bytes: 1_000_000_000,
    dirty_limit_reason: reason('dirty_limit_cache', 'As much as the cache holds.'),
    pinned_bytes: 0,
    read_hit_percent: 87.5,
    destage_bytes_per_s: 120_000_000,
    destage_measured_bytes_per_s: 200_000_000,
    preserved: [],
    ...part,
  }
}

export function battery(part: Partial<Battery> = {}): Battery {
  return {
    ...reported,
    id: BATTERY_ID,
    key: 'bbu0',
    controller_id: CONTROLLER_ID,
    path: '/c0/bbu',
    kind: 'emulated',
    source: 'ibbu01',
    model: 'iBBU01',
    serial: 'B0001',
    manufacturer: 'LSI',
    manufactured_on: '2008-03-01',
    mounting: 'on the controller',
    state: 'optimal',
    state_reason: reason('battery_ok', 'The battery is charged and in good health.'),
    protects: true,
    smart: true,
    emulated: true,
    charge_percent: 100,
    voltage_mv: 4003,
    temperature_c: 27,
    design_capacity_mah: 1500,
    full_capacity_mah: 1400,
    health_percent: 93,
    cycle_count: 12,
    retention_s: 259_200,
    left_s: 259_200,
    low_left_s: null,
    learn: {
      mode: 'auto',
      state: 'idle',
      period_days: 28,
      delay_s: 0,
      next_at: '2026-12-24T03:00:00Z',
      last_at: null,
      last_result: null,
      transparent: false,
    },
    faults: [],
    blocked: {},
    ...part,
  }
}

export function history(part: Partial<MetricHistory> = {}): MetricHistory {
  const point = (minute: number, value: number) => ({
    at: `2026-11-20T11:${minute}:00Z`,
    low: value,
    value,
    high: value,
  })
  return {
    object_id: BATTERY_ID,
    since: '2026-11-20T06:00:00Z',
    until: TIME,
    step_s: 60,
    series: [
      {
        name: 'charge_percent',
        unit: 'percent',
        points: [point(57, 100), point(58, 40), point(59, 70)],
      },
    ],
    ...part,
  }
}

export function latency(part: Partial<Latency> = {}): Latency {
  const none = {
    count: 0,
    mean_us: 0,
    p50_us: 0,
    p99_us: 0,
    p999_us: 0,
    max_us: 0,
    buckets: [],
  }
  return {
    since: TIME,
    read: {
      count: 4,
      mean_us: 90,
      p50_us: 80,
      p99_us: 1500,
      p999_us: 1500,
      max_us: 1480,
      buckets: [
        { below_us: 100, count: 3 },
        { below_us: 2000, count: 1 },
      ],
    },
    write: none,
    flush: none,
    ...part,
  }
}
