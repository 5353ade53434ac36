"""What hosts report: controllers, enclosures, drives, groups, virtual drives, batteries."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.schema import ApiModel, OpenWord, Reason, Timestamp
from arraywright.link.protocol import (
    AccessPolicy,
    BatteryFault,
    BatteryKind,
    BatteryState,
    CacheFlushState,
    CacheMedium,
    CacheState,
    Coercion,
    ControllerStatus,
    ControllerVocabulary,
    DegradedPolicy,
    DriveCacheEffective,
    DriveCachePolicy,
    DriveInterface,
    DriveMedia,
    DriveState,
    DriveWriteCache,
    FaultKind,
    HostStripeState,
    IoPolicy,
    LearnMode,
    LearnResult,
    LearnState,
    LoadPattern,
    MeasurementState,
    NoBatteryRule,
    OperationState,
    PatrolMode,
    RaidLevel,
    ReadAheadState,
    ReadPolicy,
    SmartState,
    SpareKind,
    StripeLogMode,
    SwitchState,
    VirtualDriveState,
    WritePolicy,
)


class Reported(ApiModel):
    """Common to everything a host reports."""

    id: UUID
    host_id: UUID
    host_name: Annotated[str, Field(description="its label: no other host is called so")]
    key: Annotated[str, Field(description="name within the host, stable over restarts")]
    rev: Annotated[int, Field(description="moves with any change")]
    config_rev: Annotated[
        str,
        Field(
            description="opaque; changes with configuration or health and never comes back, even "
            "if the host is restored from a backup; for If-Match"
        ),
    ]
    online: Annotated[bool, Field(description="whether its host is online")]
    stale_since: Annotated[
        Timestamp | None, Field(description="last report of an offline host; null if online")
    ]
    limited: Annotated[
        list[str],
        Field(
            description="fields whose reported values are impossible: the nearest is shown; "
            "`report`: the newest report cannot be understood, an older one is shown"
        ),
    ]


class Actionable(Reported):
    blocked: Annotated[
        dict[str, Reason],
        Field(description="operation -> why you cannot do it now; not named means possible"),
    ]


class LevelRule(ApiModel):
    """What a controller offers for one RAID level."""

    level: OpenWord[RaidLevel]
    drives_min: int
    drives_max: int
    drives_multiple: int
    drives_per_span_default: Annotated[int, Field(description="0: one span")]
    description: str


class PreservedCache(ApiModel):
    """Acknowledged writes that wait for the drives of their virtual drive."""

    virtual_drive_id: UUID
    virtual_drive_key: Annotated[str, Field(description="also if the virtual drive is away")]
    name: str
    bytes: int
    reason: Reason


class Cache(ApiModel):
    medium: OpenWord[CacheMedium]
    state: OpenWord[CacheState]
    state_reason: Reason | None
    size_bytes: int
    survives_agent: Annotated[bool, Field(description="the end of the agent")]
    survives_power_loss: bool
    stable: Annotated[bool, Field(description="a flush ends here, not on the drives")]
    used_bytes: Annotated[int, Field(description="clean and dirty data")]
    dirty_bytes: Annotated[int, Field(description="acknowledged, not yet on the drives")]
    dirty_limit_bytes: int
    dirty_limit_reason: Reason
    pinned_bytes: Annotated[int, Field(description="dirty, but their drives are missing")]
    read_hit_percent: Annotated[float | None, Field(description="null: nothing was read")]
    destage_bytes_per_s: int
    destage_measured_bytes_per_s: Annotated[
        int | None, Field(description="what the drives were measured to take")
    ] = None
    preserved: list[PreservedCache]


class PolicyPreset(ApiModel):
    """A bundle of policies under one name; the host applies it by that name."""

    name: str
    write_policy: OpenWord[WritePolicy]
    read_policy: OpenWord[ReadPolicy]
    io_policy: OpenWord[IoPolicy]
    drive_cache_policy: OpenWord[DriveCachePolicy]
    degraded_policy: Annotated[
        OpenWord[DegradedPolicy] | None, Field(description="null: its host knows none")
    ] = None


class Patrol(ApiModel):
    """Patrol read: all of every member and hot spare is read, to find media errors in time."""

    next_at: Annotated[Timestamp | None, Field(description="when it begins by itself")]
    last_at: Annotated[Timestamp | None, Field(description="when one was last complete")]
    iterations: Annotated[int, Field(description="complete ones")]
    operation_id: Annotated[UUID | None, Field(description="the one that is under way")]
    drives_done: int
    drives_total: Annotated[
        int, Field(description="of the one under way, or of the last since the agent began")
    ]
    errors: Annotated[int, Field(description="media errors that the same one has found")]


class Controller(Actionable):
    index: int
    path: Annotated[str, Field(description="/c0")]
    uuid: str
    model: str
    serial: str
    firmware_version: str
    profile: str
    status: OpenWord[ControllerStatus]
    cache_bytes: int
    battery: Annotated[str, Field(description="absent, or the battery's state")]
    rebuild_rate_percent: int
    bgi_rate_percent: int
    glitch_seconds: Annotated[
        int, Field(description="no hot spare takes the place of a drive that vanished so long")
    ] = 0
    coercion: Annotated[
        OpenWord[Coercion] | None,
        Field(
            description="new drive groups take whole steps of this size of each drive, so that a "
            "replacement may be a little smaller; null: its host has no coercion"
        ),
    ] = None
    patrol_mode: Annotated[
        OpenWord[PatrolMode] | None, Field(description="null: its host has no patrol read")
    ] = None
    patrol_rate_percent: int | None = None
    patrol_delay_hours: Annotated[
        int | None,
        Field(description="from the end of one patrol to the beginning of the next; 0: no rest"),
    ] = None
    patrol_ssds: Annotated[bool | None, Field(description="SSDs are patrolled too")] = None
    patrol_drives_max: Annotated[
        int | None, Field(description="drives that are patrolled at the same time")
    ] = None
    patrol: Annotated[Patrol | None, Field(description="null: its host has no patrol read")] = None
    auto_rebuild: bool
    emergency_spare: Annotated[
        bool, Field(description="in an emergency, a hot spare of another kind may stand in")
    ] = False
    emergency_unconfigured: Annotated[
        bool, Field(description="in an emergency, an unconfigured good drive may stand in")
    ] = False
    copyback: Annotated[
        bool, Field(description="the drive in a replaced slot is filled from the hot spare")
    ] = True
    predictive_copyback: Annotated[
        bool, Field(description="a hot spare is filled from a member that will probably fail")
    ] = False
    mixed_media: Annotated[
        bool, Field(description="SSDs and hard disks may share a drive group")
    ] = False
    mixed_interfaces: Annotated[
        bool, Field(description="SAS and SATA drives may share a drive group")
    ] = True
    levels: list[LevelRule]
    strip_sizes_bytes: list[int]
    strip_default_bytes: int
    nbd_tcp: Annotated[str | None, Field(description="HOST:PORT of exports by TCP")]
    cache: Annotated[Cache | None, Field(description="null: no cache memory is known")] = None
    no_battery_rule: Annotated[
        OpenWord[NoBatteryRule] | None,
        Field(description="what becomes of write-back without a battery"),
    ] = None
    presets: Annotated[
        list[PolicyPreset], Field(description="the bundles of policies its model offers")
    ] = []
    vocabulary: Annotated[
        OpenWord[ControllerVocabulary] | None,
        Field(description="whose words its model uses; null: its host does not say"),
    ] = None


class Enclosure(Reported):
    controller_id: UUID
    eid: int
    path: Annotated[str, Field(description="/c0/e252")]
    model: str
    slot_count: int
    rows: int
    columns: int
    order: Annotated[str, Field(description="row_major or column_major")]
    emulated: bool
    hot_swap: Annotated[
        bool | None, Field(description="drives are changed while it runs; null: not known")
    ] = None


class HotSpare(ApiModel):
    kind: OpenWord[SpareKind]
    drive_group_ids: list[UUID]
    enclosure_affinity: Annotated[bool, Field(description="serves only its own enclosure")] = False
    revertible: Annotated[
        bool, Field(description="a spare again when the lost drive has been replaced")
    ] = True


class Fault(ApiModel):
    kind: OpenWord[FaultKind]
    lba: int | None = None
    count: int | None = None
    latency_ms: int | None = None


class DriveHealth(ApiModel):
    """What a drive says of itself (S.M.A.R.T.); a figure is null if it does not tell it."""

    state: Annotated[
        OpenWord[SmartState],
        Field(description="now; the rest is what it said last if it sleeps or cannot be read"),
    ]
    reason: Reason | None
    failing: Annotated[bool, Field(description="its last verdict")]
    checked_at: Annotated[Timestamp | None, Field(description="when it last answered")]
    power_on_hours: int | None
    reallocated_sectors: int | None
    pending_sectors: int | None
    media_errors: Annotated[int | None, Field(description="since it was made")]
    wear_percent: Annotated[int | None, Field(description="of its rated endurance")]


class DrivePatrol(ApiModel):
    """What the patrol read has done on a drive."""

    done_at: Annotated[
        Timestamp | None,
        Field(description="when all of it was last read since the agent began"),
    ]
    read_bytes: Annotated[int, Field(description="by patrols since the agent began")]
    skipped: Annotated[Reason | None, Field(description="why it would not be patrolled now")]


class Drive(Actionable):
    controller_id: UUID
    enclosure_id: UUID | None
    eid: int | None
    slot: int | None
    did: int
    path: Annotated[str, Field(description="/c0/e252/s3")]
    state: OpenWord[DriveState]
    present: bool
    foreign: bool
    size_bytes: int
    usable_bytes: Annotated[
        int,
        Field(
            description="what new virtual drives may have of it: without the areas reserved at the "
            "end, and coerced"
        ),
    ]
    uncoerced_bytes: Annotated[
        int | None,
        Field(
            description="without the areas reserved at the end; a drive fits where this is enough. "
            "null: its host has no coercion"
        ),
    ] = None
    block_bytes: int
    physical_block_bytes: int
    media: OpenWord[DriveMedia]
    interface: OpenWord[DriveInterface]
    model: str
    serial: str
    wwn: str
    firmware: str
    device: Annotated[str, Field(description="path on the host")]
    temperature_c: int | None
    emulated: bool
    drive_group_id: UUID | None
    span: int | None
    row: int | None
    hot_spare: HotSpare | None
    media_error_count: int
    other_error_count: int
    predictive_failure_count: int
    locating: bool
    spun_down: Annotated[bool, Field(description="by command; it is spun up before use")] = False
    locate_ends_at: Annotated[
        Timestamp | None, Field(description="when its light goes out by itself; null: by command")
    ] = None
    unsuitable: Annotated[Reason | None, Field(description="why it cannot be used at all")]
    state_reason: Reason | None
    faults: Annotated[list[Fault], Field(description="active on an emulated drive")]
    bad_block_count: Annotated[
        int | None, Field(description="of its blocks in bad-block tables; null: not counted")
    ] = None
    write_cache: Annotated[
        OpenWord[DriveWriteCache] | None, Field(description="the drive's own; null: not told")
    ] = None
    health: Annotated[DriveHealth | None, Field(description="null: nobody asks it")] = None
    patrol: Annotated[
        DrivePatrol | None, Field(description="null: its host has no patrol read")
    ] = None
    vendor: Annotated[str, Field(description='"" if the drive does not tell it')] = ""
    rotation_rpm: Annotated[int | None, Field(description="null: not rotating or not known")] = None
    link_speed_mbps: Annotated[
        int | None, Field(description="as it runs now, of PCI Express each lane; null: not known")
    ] = None
    link_lanes: Annotated[int | None, Field(description="of PCI Express")] = None
    device_speed_mbps: Annotated[
        int | None, Field(description="what the drive itself could do; null: not known")
    ] = None


class Member(ApiModel):
    span: int
    row: int
    drive_id: UUID | None
    state: OpenWord[DriveState]
    serial: Annotated[str, Field(description="of the drive that belongs here, also if missing")]
    last_copy: Annotated[
        bool | None,
        Field(description="its loss now would take data with it; null: an older agent, not known"),
    ] = None


class SpareChoice(ApiModel):
    drive_id: UUID | None
    chosen: bool
    reason: Reason


class DriveGroup(Actionable):
    controller_id: UUID
    index: int
    path: Annotated[str, Field(description="/c0/d0")]
    guid: str
    level: OpenWord[RaidLevel]
    state: OpenWord[VirtualDriveState]
    size_bytes: int
    free_bytes: int
    span_count: int
    drives_per_span: int
    span_states: Annotated[
        list[OpenWord[VirtualDriveState]] | None,
        Field(description="of each span, in their order; null: an older agent, not known"),
    ] = None
    members: list[Member]
    virtual_drive_ids: list[UUID]
    spare_ids: Annotated[list[UUID], Field(description="hot spares that would serve it")]
    spare_choices: Annotated[
        list[SpareChoice],
        Field(description="who would stand in for a lost member now, and why not the others"),
    ] = []


class WritePolicyState(ApiModel):
    """Requested and effective may differ; the reason says why."""

    requested: OpenWord[WritePolicy]
    effective: OpenWord[WritePolicy]
    reason: Reason


class ReadPolicyState(ApiModel):
    requested: OpenWord[ReadPolicy]
    effective: OpenWord[ReadPolicy]
    reason: Reason


class IoPolicyState(ApiModel):
    requested: OpenWord[IoPolicy]
    effective: OpenWord[IoPolicy]
    reason: Reason


class DriveCacheState(ApiModel):
    """Requested of all drives at once, effective as they have it."""

    requested: OpenWord[DriveCachePolicy]
    effective: OpenWord[DriveCacheEffective]
    reason: Reason


class DegradedPolicyState(ApiModel):
    """Whether it writes through while redundancy is missing."""

    requested: OpenWord[DegradedPolicy]
    effective: OpenWord[DegradedPolicy]
    reason: Reason


class AccessState(ApiModel):
    requested: OpenWord[AccessPolicy]
    effective: OpenWord[AccessPolicy]
    reason: Reason


class SwitchPolicyState(ApiModel):
    """What may be asked for and yet not be in use; the reason says why."""

    requested: Annotated[OpenWord[SwitchState], Field(description="of a stripe log auto, too")]
    effective: OpenWord[SwitchState]
    reason: Reason


class PoliciesPreview(ApiModel):
    """What policies would become."""

    write_policy: WritePolicyState
    read_policy: ReadPolicyState
    io_policy: IoPolicyState
    drive_cache_policy: DriveCacheState
    degraded_policy: Annotated[
        DegradedPolicyState | None, Field(description="null: its host knows none")
    ] = None


class ReadAhead(ApiModel):
    """What read-ahead does at this moment."""

    state: OpenWord[ReadAheadState]
    streams: Annotated[int, Field(description="sequential readers it follows")]
    window_bytes: Annotated[int, Field(description="of the widest stream")]


class VirtualDriveCache(ApiModel):
    dirty: Annotated[bool, Field(description="acknowledged writes are in the cache only")]
    dirty_bytes: int
    flush_after_ms: Annotated[
        int | None,
        Field(
            description="so long a write lies there without need, longer before flash; "
            "null: not known"
        ),
    ] = None
    pinned: Annotated[bool, Field(description="they wait for missing drives")]
    pinned_bytes: int
    read_hit_percent: float | None


class Export(ApiModel):
    kind: Annotated[
        str,
        Field(description="nbd_unix, nbd_tcp or ublk: a block device of the host, uri is its path"),
    ]
    uri: str
    connections: int


class Stripe(ApiModel):
    """A stripe over virtual drives of any of the host's controllers, as a member tells it."""

    key: str
    name: str
    state: OpenWord[HostStripeState]
    position: Annotated[int, Field(description="of this member")]
    member_count: int
    members_found: int
    strip_bytes: int
    member_bytes: Annotated[int, Field(description="used of each member")]
    size_bytes: int
    exports: list[Export]


class MeasuredBlock(ApiModel):
    bytes: int
    percent: int


class MeasuredLatency(ApiModel):
    count: int
    mean_us: int
    p50_us: int
    p99_us: int
    p999_us: int
    max_us: int


class MeasuredLoad(ApiModel):
    """A load, and what was measured of it."""

    pattern: OpenWord[LoadPattern]
    blocks: list[MeasuredBlock]
    write_percent: int
    workers: int
    depth: Annotated[int, Field(description="of each worker")]
    zone_bytes: int
    start_bytes: int
    file_bytes: int
    duration_us: Annotated[int, Field(description="0: it has not begun")]
    operation_count: int
    operations_per_s: float
    bytes_per_s: float
    read_latency: MeasuredLatency
    write_latency: MeasuredLatency


class Measurement(ApiModel):
    """Loads that were run on the virtual drive itself."""

    state: OpenWord[MeasurementState]
    reason: Annotated[Reason | None, Field(description="why it was stopped or failed")]
    overwrites: Annotated[
        bool, Field(description="the content of the virtual drive is, or has been, overwritten")
    ]
    seconds: Annotated[int, Field(description="how long each load runs")]
    progress_percent: int
    started_at: Timestamp
    ended_at: Timestamp | None
    loads: list[MeasuredLoad]


class InconsistentPlace(ApiModel):
    """Blocks of one strip of every member whose redundancy does not agree with the data."""

    strip: int
    corrected: bool
    earlier: Annotated[
        bool, Field(description="found by an earlier check, and not compared again since")
    ] = False
    offset_bytes: Annotated[int, Field(description="of the first piece in the virtual drive")]
    piece_bytes: int
    piece_count: Annotated[
        int,
        Field(description="what is made of it, or may be; 0: the redundancy alone was wrong"),
    ]
    piece_distance_bytes: int
    member: Annotated[
        int | None, Field(description="the place in the drive group that alone explains it")
    ]
    member_offset_bytes: int | None


class CheckResult(ApiModel):
    """Its redundancy compared with its data, the last time since its agent started."""

    state: OpenWord[OperationState]
    correct: Annotated[bool, Field(description="the data were to be taken as right")]
    started_at: Timestamp
    ended_at: Timestamp | None
    compared_bytes: int
    left_out_bytes: Annotated[
        int, Field(description="without redundancy left, not known consistent, or not readable")
    ]
    unreadable_bytes: Annotated[
        int, Field(description="of its members: neither readable nor recoverable")
    ]
    corrected_count: int
    inconsistent_count: Annotated[int, Field(description="told of and left as they are")]
    earlier_inconsistent_count: Annotated[
        int | None,
        Field(
            description="places that an earlier check found and that have not been compared again "
            "since; null: an older agent, not known"
        ),
    ] = None
    places: Annotated[
        list[InconsistentPlace], Field(description="the first ones, and of earlier checks")
    ]


class Expansion(ApiModel):
    maximum_bytes: Annotated[
        int,
        Field(description="with all the free space directly behind it; its size if there is none"),
    ]
    row_bytes: Annotated[int, Field(description="sizes are whole rows")]


class VirtualDrive(Actionable):
    controller_id: UUID
    drive_group_id: UUID
    index: int
    path: Annotated[str, Field(description="/c0/v0")]
    guid: str
    name: str
    level: OpenWord[RaidLevel]
    state: OpenWord[VirtualDriveState]
    consistent: bool
    access: OpenWord[AccessPolicy]
    size_bytes: int
    block_bytes: int
    strip_bytes: int
    span_count: int
    drives_per_span: int
    drive_failures_left: Annotated[
        int, Field(description="drives that may still fail, in the worst place")
    ]
    write_policy: WritePolicyState
    read_policy: ReadPolicyState
    io_policy: OpenWord[IoPolicy]
    drive_cache_policy: OpenWord[DriveCachePolicy]
    degraded_policy: Annotated[
        OpenWord[DegradedPolicy] | None,
        Field(description="what it does while redundancy is missing; null: its host knows none"),
    ] = None
    effective_io_policy: Annotated[
        IoPolicyState | None, Field(description="null: its host does not say")
    ] = None
    effective_drive_cache: Annotated[
        DriveCacheState | None, Field(description="null: its host does not say")
    ] = None
    effective_degraded_policy: Annotated[
        DegradedPolicyState | None, Field(description="null: its host knows none")
    ] = None
    effective_access: Annotated[
        AccessState | None, Field(description="null: its host does not say")
    ] = None
    preset: Annotated[
        str | None, Field(description="of the controller's presets, the one these policies are")
    ] = None
    guarantee: Reason
    created_at: Timestamp
    exports: list[Export]
    media_error_count: Annotated[int, Field(description="blocks that could not be recovered")]
    operation_ids: list[UUID]
    stripe_log: Annotated[
        bool | None,
        Field(description="rows are always logged on the drives first; null: not offered"),
    ] = None
    stripe_log_mode: Annotated[
        OpenWord[StripeLogMode] | None,
        Field(description="null: not offered, or its host knows on and off only"),
    ] = None
    hedged_reads: Annotated[
        bool | None,
        Field(description="slow reads are answered from another copy or parity; null: not offered"),
    ] = None
    effective_stripe_log: Annotated[
        SwitchPolicyState | None, Field(description="null: not offered, or its host does not say")
    ] = None
    effective_hedged_reads: Annotated[
        SwitchPolicyState | None, Field(description="null: not offered, or its host does not say")
    ] = None
    hedged_read_count: Annotated[
        int | None,
        Field(description="so many, since its drive group was started; null: not counted"),
    ] = None
    cache: Annotated[VirtualDriveCache | None, Field(description="null: no cache")] = None
    cache_flush: Annotated[
        OpenWord[CacheFlushState] | None,
        Field(description="the last flush by command; null: its host does not say"),
    ] = None
    read_ahead: ReadAhead | None = None
    lost_writes: Annotated[
        Reason | None, Field(description="acknowledged writes were lost, and how")
    ] = None
    bad_block_count: Annotated[
        int | None, Field(description="entries of its bad-block table; null: not counted")
    ] = None
    stripe: Annotated[
        Stripe | None,
        Field(description="it is a member of that one, and not exported by itself"),
    ] = None
    expansion: Annotated[
        Expansion | None,
        Field(description="what it could be expanded to; null: its host does not say"),
    ] = None
    measurement: Annotated[
        Measurement | None,
        Field(description="the last one, or that which runs: meanwhile it is not exported"),
    ] = None
    consistency_check: Annotated[
        CheckResult | None, Field(description="the last one, or that which runs; null: none")
    ] = None


class Learn(ApiModel):
    """Learn cycles: the battery is emptied and filled to measure what it holds."""

    mode: OpenWord[LearnMode]
    state: OpenWord[LearnState]
    period_days: int | None
    next_at: Annotated[Timestamp | None, Field(description="null: none is planned")]
    delay_s: Annotated[
        int | None, Field(description="how much later than planned that is; null: not known")
    ] = None
    last_at: Annotated[Timestamp | None, Field(description="null: never")]
    last_result: OpenWord[LearnResult] | None
    transparent: Annotated[bool, Field(description="write-back stays allowed while it runs")]


class Battery(Actionable):
    controller_id: UUID
    path: Annotated[str, Field(description="/c0/bbu or /c0/cv")]
    kind: OpenWord[BatteryKind]
    source: Annotated[str, Field(description="where its figures come from")]
    model: str
    serial: str
    manufacturer: str | None = None
    manufactured_on: Annotated[str | None, Field(description="YYYY-MM-DD")] = None
    mounting: Annotated[str | None, Field(description="where the pack sits")] = None
    state: OpenWord[BatteryState]
    state_reason: Reason
    protects: Annotated[bool, Field(description="write-back is allowed because of it")]
    smart: Annotated[bool, Field(description="false: it tells only that it is there")]
    emulated: bool
    charge_percent: int | None
    voltage_mv: int | None
    temperature_c: int | None
    design_capacity_mah: int | None
    full_capacity_mah: Annotated[int | None, Field(description="what it holds when it is full")]
    health_percent: Annotated[int | None, Field(description="of the design capacity")]
    cycle_count: int | None
    retention_s: Annotated[
        int | None, Field(description="a full one keeps the cache, or the host, so long")
    ]
    left_s: Annotated[int | None, Field(description="the same at the present charge")]
    low_left_s: Annotated[
        int | None, Field(description="a UPS: the host shuts down when so much is left")
    ] = None
    learn: Annotated[Learn | None, Field(description="null: it cannot run a learn cycle")]
    faults: Annotated[
        list[OpenWord[BatteryFault]], Field(description="active on an emulated battery")
    ]
