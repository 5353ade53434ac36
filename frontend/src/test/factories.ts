import type {
  Alert,
  Command,
  Event,
  Fleet,
  Host,
  PoliciesPreview,
  PreviewResult,
  Session,
  User,
} from '@/api/types'
import { driveId, HOST_ID, reason, TIME, VIRTUAL_DRIVE_ID } from './factories-storage'

export * from './factories-storage'

/** Objects as the server sends them; each test overrides what it is about. */

export function user(part: Partial<User> = {}): User {
  return {
    id: '00000000-0000-4000-8000-0000000000a1',
    rev: 1,
    username: 'ada',
    display_name: 'Ada Example',
    role: 'administrator',
    disabled: false,
    created_at: TIME,
    last_login_at: TIME,
    blocked: {},
    ...part,
  }
}

export function session(part: Partial<User> = {}): Session {
  return { user: user(part), csrf_token: 'csrf-1', expires_at: TIME, live_position: 'b-1' }
}

export function host(part: Partial<Host> = {}): Host {
  return {
    id: HOST_ID,
    name: 'alpha',
    label: part.name ?? 'alpha',
    labels: [],
    presence: part.online === false ? 'offline' : 'online',
    rev: 1,
    config_rev: 'a-1',
    online: true,
    stale_since: null,
    limited: [],
    last_seen: TIME,
    enrolled_at: TIME,
    connected_at: TIME,
    hostname: 'alpha',
    os: 'Debian GNU/Linux 12',
    kernel: '6.1.0',
    agent_version: '0.1.0',
    boot_id: 'b1',
    policy_preset: 'lab',
    started_at: TIME,
    clock_offset_ms: 3,
    blocked: {},
    ...part,
    summary: {
      worst_state: 'optimal',
      drive_failures_left: 1,
      controllers: 1,
      drives: 8,
      drives_unconfigured: 4,
      drives_failed: 0,
      hot_spares: 0,
      drive_groups: 1,
      virtual_drives: 1,
      virtual_drives_degraded: 0,
      virtual_drives_offline: 0,
      operations_running: 0,
      raw_bytes: 32_000_000_000,
      usable_bytes: 12_000_000_000,
      open_alerts: 0,
      worst_alert: null,
      ...part.summary,
    },
  }
}

export function fleet(part: Partial<Fleet> = {}): Fleet {
  return {
    hosts: 1,
    hosts_online: 1,
    hosts_by_presence: [{ presence: 'online', count: 1 }],
    drives_by_state: [{ state: 'online', count: 4 }],
    virtual_drives_by_state: [{ state: 'optimal', count: 1 }],
    drive_failures_left: 1,
    raw_bytes: 32_000_000_000,
    usable_bytes: 12_000_000_000,
    operations_running: 0,
    open_alerts_by_severity: [],
    ...part,
  }
}

export function event(seq: number, part: Partial<Event> = {}): Event {
  return {
    id: `e${seq}`,
    host_id: HOST_ID,
    host_name: 'alpha',
    seq,
    at: TIME,
    received_at: TIME,
    limited: [],
    code: 112,
    name: 'drive_removed',
    event_class: 'warning',
    locale: 2,
    object_kind: 'drive',
    object_id: driveId(1),
    object_key: 'd1',
    params: {},
    text: `Event number ${seq}`,
    ...part,
  }
}

export function alert(part: Partial<Alert> = {}): Alert {
  return {
    id: '00000000-0000-4000-8000-0000000000aa',
    rev: 1,
    rule: 'virtual_drive_degraded',
    severity: 'critical',
    state: 'open',
    host_id: HOST_ID,
    host_name: 'alpha',
    object_kind: 'virtual_drive',
    object_id: VIRTUAL_DRIVE_ID,
    object_key: 'v0',
    object_path: '/c0/v0',
    reason: reason('virtual_drive_degraded', 'archive is degraded.'),
    title: 'Virtual drive degraded',
    cause: reason('drive_lost_pulled', 'A drive failed.'),
    consequence: reason('effect_virtual_drive_degraded', 'One more loses data.'),
    next_step: reason('remedy_virtual_drive_degraded', 'Replace the drive.'),
    opened_at: TIME,
    changed_at: TIME,
    acknowledged_at: null,
    acknowledged_by: null,
    note: null,
    resolved_at: null,
    stale: false,
    blocked: {},
    ...part,
  }
}

export function command(part: Partial<Command> = {}): Command {
  return {
    id: '00000000-0000-4000-8000-00000000cccc',
    host_id: HOST_ID,
    host_name: 'alpha',
    number: 1,
    op: 'vd_create',
    command_class: 'O',
    target: null,
    arguments: {},
    actor: 'ada',
    actor_role: 'administrator',
    via: 'console',
    state: 'succeeded',
    finished: true,
    reason: reason('ok', 'Done.'),
    progress_percent: null,
    objects: [],
    created_at: TIME,
    offered_at: TIME,
    accepted_at: TIME,
    ended_at: TIME,
    not_after: TIME,
    ...part,
  }
}

export function preview(part: Partial<PreviewResult> = {}): PreviewResult {
  return {
    ok: true,
    refusals: [],
    warnings: [],
    plan_digest: 'digest-1',
    level: 'raid5',
    size_bytes: 11_700_000_000,
    raw_bytes: 15_600_000_000,
    wasted_bytes: 0,
    wasted: [],
    drive_failures_tolerated: 1,
    tolerance: 'Any one drive may fail.',
    span_count: 1,
    drives_per_span: 4,
    strip_bytes: 65_536,
    row_bytes: 196_608,
    block_bytes: 512,
    init_seconds: 600,
    policies: null,
    risks: [],
    cli: 'arrayctl /c0 add vd raid5 drives=252:0-3',
    ...part,
  }
}

/** What a preset with the drives' caches on would become without a battery. */
export function policies(): PoliciesPreview {
  return {
    write_policy: {
      requested: 'write_back',
      effective: 'write_through',
      reason: reason('write_policy_no_battery', 'No battery protects the cache.'),
    },
    read_policy: {
      requested: 'adaptive_read_ahead',
      effective: 'adaptive_read_ahead',
      reason: reason('as_requested', 'As requested.'),
    },
    io_policy: {
      requested: 'direct',
      effective: 'direct',
      reason: reason('as_requested', 'As requested.'),
    },
    drive_cache_policy: {
      requested: 'on',
      effective: 'on',
      reason: reason('as_requested', 'As requested.'),
    },
    degraded_policy: {
      requested: 'keep',
      effective: 'keep',
      reason: reason('as_requested', 'As requested.'),
    },
  }
}

export const driveCacheRisk = () => reason('risk_drive_cache', 'The drives hold what is written.')

export function problem(status: number, code: string, detail: string) {
  return {
    type: 'about:blank',
    title: detail,
    status,
    code,
    detail,
    instance: '',
    params: {},
    errors: [],
  }
}
