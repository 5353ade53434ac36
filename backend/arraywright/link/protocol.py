"""Words, documents and frames of the agent protocol. Generated; do not edit.

Made by tools/generate_protocol.py from agent/protocol/*.json. Unknown fields and unknown
words are tolerated, so words are plain strings here and enumerations only where we send.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

TIME_US_MAX = 253402300799999999
SEQUENCE_MAX = 4611686018427387903
INTEGER_MAX = 9007199254740991
TEXT_MAX = 4096

TimeUs = Annotated[int, Field(ge=0, le=TIME_US_MAX)]
Sequence = Annotated[int, Field(ge=0, le=SEQUENCE_MAX)]
Size = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=TEXT_MAX)]
Word = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=32)]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,64}$")]
Uuid = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"),
]


class Wire(BaseModel):
    """A document on the wire: exact types, unknown fields kept out."""

    model_config = ConfigDict(strict=True, extra="ignore", populate_by_name=True)


class ObjectKind(StrEnum):
    HOST = "host"
    CONTROLLER = "controller"
    ENCLOSURE = "enclosure"
    DRIVE = "drive"
    DRIVE_GROUP = "drive_group"
    VIRTUAL_DRIVE = "virtual_drive"
    BATTERY = "battery"
    OPERATION = "operation"


class RaidLevel(StrEnum):
    RAID0 = "raid0"
    RAID1 = "raid1"
    RAID5 = "raid5"
    RAID6 = "raid6"
    RAID10 = "raid10"
    RAID50 = "raid50"
    RAID60 = "raid60"
    RAID1E = "raid1e"


class UndoKind(StrEnum):
    DRIVE_GROUP = "drive_group"
    VIRTUAL_DRIVE = "virtual_drive"
    FOREIGN_SET = "foreign_set"
    DAMAGED = "damaged"


class ForeignFormat(StrEnum):
    DDF = "ddf"
    MD = "md"
    ARRAYWRIGHT = "arraywright"


class ForeignOutcome(StrEnum):
    OPTIMAL = "optimal"
    RESYNC = "resync"
    DEGRADED = "degraded"
    REFUSED = "refused"


class ForeignDriveOutcome(StrEnum):
    MEMBER = "member"
    REBUILD = "rebuild"
    SPARE = "spare"
    LEFT = "left"
    MISSING = "missing"


class ForeignState(StrEnum):
    OPTIMAL = "optimal"
    DEGRADED = "degraded"
    INCOMPLETE = "incomplete"
    UNSUPPORTED = "unsupported"
    DAMAGED = "damaged"


class ForeignMemberState(StrEnum):
    ONLINE = "online"
    REBUILD = "rebuild"
    FAILED = "failed"
    OFFLINE = "offline"
    STALE = "stale"
    MISSING = "missing"
    DUPLICATE = "duplicate"
    SPARE = "spare"


class FindingSeverity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"
    FATAL = "fatal"


class ControllerStatus(StrEnum):
    OPTIMAL = "optimal"
    NEEDS_ATTENTION = "needs_attention"
    DEGRADED = "degraded"
    FAILED = "failed"
    STARTING = "starting"


class DriveState(StrEnum):
    UNCONFIGURED_GOOD = "unconfigured_good"
    UNCONFIGURED_BAD = "unconfigured_bad"
    HOT_SPARE = "hot_spare"
    DEDICATED_HOT_SPARE = "dedicated_hot_spare"
    OFFLINE = "offline"
    FAILED = "failed"
    REBUILD = "rebuild"
    ONLINE = "online"
    COPYBACK = "copyback"
    MISSING = "missing"
    JBOD = "jbod"
    STARTING = "starting"


class VirtualDriveState(StrEnum):
    OPTIMAL = "optimal"
    PARTIALLY_DEGRADED = "partially_degraded"
    DEGRADED = "degraded"
    OFFLINE = "offline"
    STARTING = "starting"


class HostStripeState(StrEnum):
    OPTIMAL = "optimal"
    DEGRADED = "degraded"
    OFFLINE = "offline"
    INCOMPLETE = "incomplete"
    STARTING = "starting"


class DriveMedia(StrEnum):
    HDD = "hdd"
    SSD = "ssd"


class DriveInterface(StrEnum):
    SATA = "sata"
    SAS = "sas"
    NVME = "nvme"
    VIRTIO = "virtio"
    USB = "usb"
    FILE = "file"
    LOOP = "loop"
    OTHER = "other"


class WritePolicy(StrEnum):
    WRITE_THROUGH = "write_through"
    WRITE_BACK = "write_back"
    ALWAYS_WRITE_BACK = "always_write_back"


class ReadPolicy(StrEnum):
    NO_READ_AHEAD = "no_read_ahead"
    READ_AHEAD = "read_ahead"
    ADAPTIVE_READ_AHEAD = "adaptive_read_ahead"


class IoPolicy(StrEnum):
    DIRECT = "direct"
    CACHED = "cached"


class DriveCachePolicy(StrEnum):
    DEFAULT = "default"
    ON = "on"
    OFF = "off"


class DegradedPolicy(StrEnum):
    KEEP = "keep"
    WRITE_THROUGH = "write_through"


class StripeLogMode(StrEnum):
    AUTO = "auto"
    ON = "on"
    OFF = "off"


class DriveWriteCache(StrEnum):
    UNKNOWN = "unknown"
    OFF = "off"
    ON = "on"


class SmartState(StrEnum):
    UNREAD = "unread"
    UNSUPPORTED = "unsupported"
    ASLEEP = "asleep"
    GOOD = "good"
    FAILING = "failing"


class SmartFigure(StrEnum):
    TEMPERATURE_C = "temperature_c"
    POWER_ON_HOURS = "power_on_hours"
    REALLOCATED_SECTORS = "reallocated_sectors"
    PENDING_SECTORS = "pending_sectors"
    MEDIA_ERRORS = "media_errors"
    WEAR_PERCENT = "wear_percent"


class DriveCacheEffective(StrEnum):
    ON = "on"
    OFF = "off"
    MIXED = "mixed"
    UNKNOWN = "unknown"


class SwitchState(StrEnum):
    OFF = "off"
    ON = "on"


class AccessPolicy(StrEnum):
    READ_WRITE = "read_write"
    READ_ONLY = "read_only"
    BLOCKED = "blocked"


class OperationKind(StrEnum):
    REBUILD = "rebuild"
    COPYBACK = "copyback"
    BACKGROUND_INIT = "background_init"
    RESYNC = "resync"
    DRIVE_ERASE = "drive_erase"
    PATROL_READ = "patrol_read"
    CONSISTENCY_CHECK = "consistency_check"


class OperationState(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"


class EraseMode(StrEnum):
    SIMPLE = "simple"
    NORMAL = "normal"
    THOROUGH = "thorough"
    THREEPASS = "threepass"


class PatrolMode(StrEnum):
    AUTO = "auto"
    MANUAL = "manual"
    DISABLED = "disabled"


class Coercion(StrEnum):
    NONE = "none"
    MIB_128 = "mib_128"
    GIB_1 = "gib_1"


class TaskAction(StrEnum):
    START = "start"
    STOP = "stop"
    PAUSE = "pause"
    RESUME = "resume"


class LoadPattern(StrEnum):
    RANDOM = "random"
    SEQUENTIAL = "sequential"
    FILES_CREATE = "files_create"
    FILES_READ = "files_read"
    FILES_COPY = "files_copy"
    FILES_COPY_FAR = "files_copy_far"


class MeasurementState(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"


class FaultKind(StrEnum):
    PULL = "pull"
    RETURN = "return"
    REPLACE = "replace"
    MEDIA_ERROR = "media_error"
    SLOW = "slow"
    WRITE_ERROR = "write_error"
    CLEAR = "clear"


class BadBlockKind(StrEnum):
    UNREADABLE = "unreadable"
    LOST = "lost"
    DOUBTFUL = "doubtful"
    PUNCTURED = "punctured"


class SpareKind(StrEnum):
    GLOBAL = "global"
    DEDICATED = "dedicated"


class BatteryKind(StrEnum):
    EMULATED = "emulated"
    UPS = "ups"
    CACHEVAULT = "cachevault"


class BatteryState(StrEnum):
    OPTIMAL = "optimal"
    CHARGING = "charging"
    DISCHARGING = "discharging"
    LEARNING = "learning"
    LOW = "low"
    DEGRADED = "degraded"
    FAILED = "failed"
    MISSING = "missing"
    UNKNOWN = "unknown"


class BatteryFault(StrEnum):
    FAIL = "fail"
    REMOVE = "remove"
    LOW_CHARGE = "low_charge"
    OVERHEAT = "overheat"
    WEAR_OUT = "wear_out"
    POWER_OFF = "power_off"
    CLEAR = "clear"


class LearnMode(StrEnum):
    AUTO = "auto"
    WARN = "warn"
    MANUAL = "manual"
    DISABLED = "disabled"


class LearnState(StrEnum):
    IDLE = "idle"
    ANNOUNCED = "announced"
    DUE = "due"
    PENDING = "pending"
    CHARGING = "charging"
    DISCHARGING = "discharging"
    RECHARGING = "recharging"


class LearnResult(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


class CacheMedium(StrEnum):
    SHARED_MEMORY = "shared_memory"
    PERSISTENT_MEMORY = "persistent_memory"
    FILE_LOG = "file_log"


class CacheState(StrEnum):
    READY = "ready"
    RECOVERING = "recovering"
    DRAINING = "draining"
    SUSPENDED = "suspended"
    FAILED = "failed"
    MISSING = "missing"


class ReadAheadState(StrEnum):
    OFF = "off"
    WATCHING = "watching"
    READING = "reading"


class CacheFlushState(StrEnum):
    NONE = "none"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class NoBatteryRule(StrEnum):
    REFUSE = "refuse"
    FORCE = "force"
    REVERT = "revert"


class ControllerVocabulary(StrEnum):
    MEGARAID = "megaraid"
    THREEWARE = "threeware"


class CommandClass(StrEnum):
    R = "R"
    O = "O"
    D = "D"
    X = "X"


class CommandState(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    EXPIRED = "expired"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    INDETERMINATE = "indeterminate"


class EventClass(StrEnum):
    DEBUG = "debug"
    PROGRESS = "progress"
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"
    FATAL = "fatal"


class FindingCode(StrEnum):
    VIRTUAL_DRIVE_OFFLINE = "virtual_drive_offline"
    VIRTUAL_DRIVE_DEGRADED = "virtual_drive_degraded"
    VIRTUAL_DRIVE_PARTIALLY_DEGRADED = "virtual_drive_partially_degraded"
    VIRTUAL_DRIVE_LOST_BLOCKS = "virtual_drive_lost_blocks"
    VIRTUAL_DRIVE_LOST_PARITY = "virtual_drive_lost_parity"
    WRITES_LOST = "writes_lost"
    DATA_SUSPECT = "data_suspect"
    REDUNDANCY_INCONSISTENT = "redundancy_inconsistent"
    WRITE_POLICY_LOWERED = "write_policy_lowered"
    WRITE_POLICY_WAITS = "write_policy_waits"
    WRITE_BACK_UNPROTECTED = "write_back_unprotected"
    STRIPE_INCOMPLETE = "stripe_incomplete"
    DRIVE_FAILED = "drive_failed"
    DRIVE_MISSING = "drive_missing"
    DRIVE_REMOVED = "drive_removed"
    DRIVE_OFFLINE = "drive_offline"
    DRIVE_OUT_OF_DATE = "drive_out_of_date"
    DRIVE_UNCONFIGURED_BAD = "drive_unconfigured_bad"
    DRIVE_SHRUNK = "drive_shrunk"
    DRIVE_UNCLAIMED = "drive_unclaimed"
    DRIVE_NAMED_TWICE = "drive_named_twice"
    DRIVE_PREDICTIVE_FAILURE = "drive_predictive_failure"
    DRIVE_MEDIA_ERRORS = "drive_media_errors"
    DRIVE_SLOW = "drive_slow"
    DRIVE_REFUSES_WRITES = "drive_refuses_writes"
    DRIVE_PATH_LOST = "drive_path_lost"
    DRIVE_CACHE_REFUSED = "drive_cache_refused"
    DRIVE_FOREIGN = "drive_foreign"
    DRIVE_OVERWRITTEN = "drive_overwritten"
    REBUILD_FAILED = "rebuild_failed"
    ERASE_WAITS = "erase_waits"
    SPARE_MISSING = "spare_missing"
    SPARE_OVERWRITTEN = "spare_overwritten"
    SPARE_UNUSABLE = "spare_unusable"
    PLACE_EMPTY = "place_empty"
    PLACE_SUPERSEDED = "place_superseded"
    SPARES_USED_UP = "spares_used_up"
    CACHE_FAILED = "cache_failed"
    CACHE_PRESERVED = "cache_preserved"
    FOREIGN_CONFIGURATION = "foreign_configuration"
    CONFIGURED_DRIVE_MISSING = "configured_drive_missing"
    STATE_RECORD_DAMAGED = "state_record_damaged"
    BATTERY_MISSING = "battery_missing"
    BATTERY_FAILED = "battery_failed"
    BATTERY_NOT_READY = "battery_not_ready"
    BATTERY_CHARGING = "battery_charging"
    BATTERY_LEARN = "battery_learn"
    BATTERY_LEARN_DUE = "battery_learn_due"
    UPS_ON_BATTERY = "ups_on_battery"
    STATE_UNWRITABLE = "state_unwritable"
    MONITOR_SILENT = "monitor_silent"
    FINDINGS_OMITTED = "findings_omitted"


EVENT_CLASS_WORDS: dict[int, str] = {
    -2: "debug",
    -1: "progress",
    0: "info",
    1: "warning",
    2: "critical",
    3: "fatal",
}


class Reason(Wire):
    code: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,64}$", max_length=4096)]
    params: Annotated[dict[str, Text], Field(max_length=256)]
    text: Text


Blocked = Annotated[dict[str, Reason], Field(max_length=256)]


class Policy(Wire):
    requested: Text
    effective: Text
    reason: Reason


class Finding(Wire):
    """something that is not as it should be; there until it is gone"""

    code: Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,64}$", max_length=4096)]
    severity: Word
    kind: Word
    key: Key
    path: Text
    since_us: TimeUs
    what: Reason
    cause: Reason | None
    effect: Reason
    remedy: Reason


class HostDoc(Wire):
    hostname: Text
    os: Text
    kernel: Text
    agent_version: Text
    boot_id: Text
    policy_preset: Text
    started_at_us: TimeUs
    findings: Annotated[list[Finding], Field(max_length=128)] | None = None


class LevelRule(Wire):
    level: Word
    drives_min: Size
    drives_max: Size
    drives_multiple: Size
    drives_per_span_default: Size
    description: Text


class PreservedCache(Wire):
    virtual_drive: Key
    name: Text
    bytes: Size
    reason: Reason


class CacheDoc(Wire):
    """The cache of a controller; its figures never move config_rev."""

    medium: Word
    state: Word
    state_reason: Reason | None
    size_bytes: Size
    survives_agent: bool
    survives_power_loss: bool
    stable: bool
    used_bytes: Size
    dirty_bytes: Size
    dirty_limit_bytes: Size
    dirty_limit_reason: Reason
    pinned_bytes: Size
    read_hit_percent: Annotated[float, Field(ge=0, le=100)] | None
    destage_bytes_per_s: Size
    destage_measured_bytes_per_s: Size | None = None
    preserved: Annotated[list[PreservedCache], Field(max_length=64)]


class PatrolDoc(Wire):
    """patrol read: all of every member and hot spare is read, so that media errors are found while the rest of their rows can still correct them"""

    next_at_us: TimeUs | None
    last_at_us: TimeUs | None
    iterations: Size
    operation: Key | None
    drives_done: Size
    drives_total: Size
    errors: Size


class VirtualDrivePresetDoc(Wire):
    """a bundle of policies under one name"""

    name: Text
    read_policy: Word
    write_policy: Word
    io_policy: Word
    drive_cache_policy: Word
    degraded_policy: Word | None = None


class ControllerDoc(Wire):
    index: Size
    path: Text
    uuid: Uuid
    model: Text
    serial: Text
    firmware_version: Text
    profile: Text
    status: Word
    cache_bytes: Size
    battery: Text
    rebuild_rate_percent: Annotated[int, Field(ge=0, le=100)]
    bgi_rate_percent: Annotated[int, Field(ge=0, le=100)]
    glitch_seconds: Annotated[int, Field(ge=0, le=300)] | None = None
    coercion: Word | None = None
    patrol_mode: Word | None = None
    patrol_rate_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    patrol_delay_hours: Annotated[int, Field(ge=0, le=8760)] | None = None
    patrol_ssds: bool | None = None
    patrol_drives_max: Annotated[int, Field(ge=1, le=255)] | None = None
    patrol: PatrolDoc | None = None
    auto_rebuild: bool
    emergency_spare: bool | None = None
    emergency_unconfigured: bool | None = None
    copyback: bool | None = None
    predictive_copyback: bool | None = None
    mixed_media: bool | None = None
    mixed_interfaces: bool | None = None
    levels: Annotated[list[LevelRule], Field(max_length=8192)]
    strip_sizes_bytes: Annotated[list[Size], Field(max_length=8192)]
    strip_default_bytes: Size
    nbd_tcp: Text | None
    cache: CacheDoc | None = None
    no_battery_rule: Word | None = None
    ports: Size | None = None
    vocabulary: Word | None = None
    presets: Annotated[list[VirtualDrivePresetDoc], Field(max_length=8192)] | None = None
    findings: Annotated[list[Finding], Field(max_length=128)] | None = None
    findings_whole: bool | None = None
    blocked: Blocked


class EnclosureDoc(Wire):
    controller: Key
    eid: Size
    path: Text
    model: Text
    slot_count: Size
    rows: Size
    columns: Size
    order: Text
    emulated: bool
    hot_swap: bool | None = None


class HotSpare(Wire):
    kind: Word
    drive_groups: Annotated[list[Key], Field(max_length=8192)]
    enclosure_affinity: bool | None = None
    revertible: bool | None = None


class SpareChoiceDoc(Wire):
    drive: Key
    chosen: bool
    reason: Reason


class Fault(Wire):
    kind: Word
    lba: Size | None = None
    count: Size | None = None
    latency_ms: Size | None = None


class DriveHealthDoc(Wire):
    """what the drive says of itself (S.M.A.R.T.); figures are null if it does not tell them"""

    state: Word
    reason: Reason | None
    failing: bool
    checked_at_us: TimeUs | None
    power_on_hours: Size | None
    reallocated_sectors: Size | None
    pending_sectors: Size | None
    media_errors: Size | None
    wear_percent: Size | None


class DrivePatrolDoc(Wire):
    done_at_us: TimeUs | None
    read_bytes: Size
    skipped: Reason | None


class DriveDoc(Wire):
    controller: Key
    enclosure: Key | None
    eid: Size | None
    slot: Size | None
    did: Size
    path: Text
    state: Word
    present: bool
    foreign: bool
    size_bytes: Size
    usable_bytes: Size
    uncoerced_bytes: Size | None = None
    block_bytes: Size
    physical_block_bytes: Size
    media: Word
    interface: Word
    rotation_rpm: Size | None = None
    link_speed_mbps: Size | None = None
    link_lanes: Size | None = None
    device_speed_mbps: Size | None = None
    vendor: Text | None = None
    model: Text
    serial: Text
    wwn: Text
    firmware: Text
    device: Text
    write_cache: Word | None = None
    temperature_c: Size | None
    emulated: bool
    drive_group: Key | None
    span: Size | None
    row: Size | None
    hot_spare: HotSpare | None
    media_error_count: Size
    other_error_count: Size
    predictive_failure_count: Size
    health: DriveHealthDoc | None = None
    timeout_count: Size | None = None
    retry_count: Size | None = None
    slow_command_count: Size | None = None
    slow: bool | None = None
    locating: bool
    spun_down: bool | None = None
    locate_ends_at_us: TimeUs | None = None
    unsuitable: Reason | None
    state_reason: Reason | None
    faults: Annotated[list[Fault], Field(max_length=8192)]
    bad_block_count: Size | None = None
    patrol: DrivePatrolDoc | None = None
    blocked: Blocked


class Member(Wire):
    span: Size
    row: Size
    drive: Key | None
    state: Word
    serial: Text
    last_copy: bool | None = None


class DriveGroupDoc(Wire):
    controller: Key
    index: Size
    path: Text
    guid: Text
    level: Word
    state: Word
    size_bytes: Size
    free_bytes: Size
    span_count: Size
    drives_per_span: Size
    span_states: Annotated[list[Word], Field(max_length=8192)] | None = None
    members: Annotated[list[Member], Field(max_length=8192)]
    virtual_drives: Annotated[list[Key], Field(max_length=8192)]
    spares: Annotated[list[Key], Field(max_length=8192)]
    spare_choices: Annotated[list[SpareChoiceDoc], Field(max_length=8192)] | None = None
    rebuild_waits: Reason | None = None
    blocked: Blocked


class Export(Wire):
    kind: Text
    uri: Text
    connections: Size


class StripeDoc(Wire):
    """a stripe (RAID 0) over virtual drives of any of the host's controllers, as each member tells it"""

    key: Key
    name: Text
    state: Word
    position: Size
    member_count: Annotated[int, Field(ge=2, le=9007199254740991)]
    members_found: Size
    strip_bytes: Size
    member_bytes: Size
    size_bytes: Size
    exports: Annotated[list[Export], Field(max_length=8192)]


class InconsistentPlaceDoc(Wire):
    """blocks of one strip of every member whose redundancy does not agree with the data"""

    strip: Size
    corrected: bool
    earlier: bool | None = None
    offset_bytes: Size
    piece_bytes: Size
    piece_count: Size
    piece_distance_bytes: Size
    member: Size | None
    member_offset_bytes: Size | None


class ConsistencyCheckDoc(Wire):
    """redundancy compared with the data, the last time or now"""

    state: Word
    correct: bool
    started_at_us: TimeUs
    ended_at_us: TimeUs | None
    compared_bytes: Size
    left_out_bytes: Size
    unreadable_bytes: Size
    corrected_count: Size
    inconsistent_count: Size
    earlier_inconsistent_count: Size | None = None
    places: Annotated[list[InconsistentPlaceDoc], Field(max_length=8192)]


class MeasuredBlockDoc(Wire):
    bytes: Size
    percent: Size


class MeasuredLatencyDoc(Wire):
    count: Size
    mean_us: TimeUs
    p50_us: TimeUs
    p99_us: TimeUs
    p999_us: TimeUs
    max_us: TimeUs


class MeasuredLoadDoc(Wire):
    """a load (commands.schema.json) and what was measured of it"""

    pattern: Word
    blocks: Annotated[list[MeasuredBlockDoc], Field(max_length=8192)]
    write_percent: Size
    workers: Size
    depth: Size
    zone_bytes: Size
    start_bytes: Size
    file_bytes: Size
    duration_us: TimeUs
    operation_count: Size
    operations_per_s: Annotated[float, Field(ge=0, le=9007199254740991)]
    bytes_per_s: Annotated[float, Field(ge=0, le=9007199254740991)]
    read_latency: MeasuredLatencyDoc
    write_latency: MeasuredLatencyDoc


class MeasurementDoc(Wire):
    """loads that were run on the virtual drive itself, the last time since the agent started"""

    state: Word
    reason: Reason | None
    overwrites: bool
    seconds: Size
    progress_percent: Annotated[int, Field(ge=0, le=100)]
    started_at_us: TimeUs
    ended_at_us: TimeUs | None
    loads: Annotated[list[MeasuredLoadDoc], Field(max_length=8192)]


class VdCache(Wire):
    dirty: bool
    dirty_bytes: Size
    flush_after_ms: Size | None = None
    pinned: bool
    pinned_bytes: Size
    read_hit_percent: Annotated[float, Field(ge=0, le=100)] | None


class ReadAhead(Wire):
    """What read-ahead does now; counters_reset makes it forget what it has learned."""

    state: Word
    streams: Size
    window_bytes: Size


class VirtualDriveExpansion(Wire):
    """what it could be expanded to"""

    maximum_bytes: Size
    row_bytes: Size


class VirtualDriveDoc(Wire):
    controller: Key
    drive_group: Key
    index: Size
    path: Text
    guid: Text
    name: Text
    level: Word
    state: Word
    consistent: bool
    access: Word
    size_bytes: Size
    block_bytes: Size
    strip_bytes: Size
    span_count: Size
    drives_per_span: Size
    drive_failures_left: Size
    write_policy: Policy
    read_policy: Policy
    io_policy: Text
    drive_cache_policy: Text
    degraded_policy: Text | None = None
    effective_io_policy: Policy | None = None
    effective_drive_cache: Policy | None = None
    effective_degraded_policy: Policy | None = None
    effective_access: Policy | None = None
    effective_stripe_log: Policy | None = None
    effective_hedged_reads: Policy | None = None
    preset: Text | None = None
    guarantee: Reason
    created_at_us: TimeUs
    exports: Annotated[list[Export], Field(max_length=8192)]
    media_error_count: Size
    operations: Annotated[list[Key], Field(max_length=8192)]
    stripe_log: bool | None = None
    stripe_log_mode: Text | None = None
    hedged_reads: bool | None = None
    hedged_read_count: Size | None = None
    consistency_check: ConsistencyCheckDoc | None = None
    expansion: VirtualDriveExpansion | None = None
    cache: VdCache | None = None
    cache_flush: Word | None = None
    read_ahead: ReadAhead | None = None
    lost_writes: Reason | None = None
    stripe: StripeDoc | None = None
    measurement: MeasurementDoc | None = None
    bad_block_count: Size | None = None
    blocked: Blocked


class Learn(Wire):
    mode: Word
    state: Word
    period_days: Size | None
    next_at_us: TimeUs | None
    delay_s: Size | None = None
    last_at_us: TimeUs | None
    last_result: Word | None
    transparent: bool


class BatteryDoc(Wire):
    controller: Key
    path: Text
    kind: Word
    source: Text
    model: Text
    serial: Text
    manufacturer: Text | None = None
    chemistry: Text | None = None
    manufactured_on: Text | None = None
    mounting: Text | None = None
    state: Word
    state_reason: Reason
    protects: bool
    smart: bool
    emulated: bool
    charge_percent: Annotated[int, Field(ge=0, le=100)] | None
    voltage_mv: Size | None
    current_ma: Annotated[int, Field(ge=-9007199254740991, le=9007199254740991)] | None = None
    temperature_c: Annotated[int, Field(ge=-9007199254740991, le=9007199254740991)] | None
    design_voltage_mv: Size | None = None
    design_capacity_mah: Size | None
    full_capacity_mah: Size | None
    health_percent: Annotated[int, Field(ge=0, le=100)] | None
    cycle_count: Size | None
    retention_s: Size | None
    left_s: Size | None
    low_left_s: Size | None = None
    learn: Learn | None
    faults: Annotated[list[Word], Field(max_length=8192)]
    blocked: Blocked


class OperationDoc(Wire):
    controller: Key
    kind: Word
    state: Word
    target_kind: Word
    target: Key
    drive_group: Key | None
    source: Key | None = None
    done_bytes: Size
    total_bytes: Size
    progress_percent: Annotated[float, Field(ge=0, le=100)]
    speed_bytes_per_s: Size
    time_left_s: Size | None
    started_at_us: TimeUs
    ended_at_us: TimeUs | None
    reason: Reason | None
    blocked: Blocked


class ObjectRecord(Wire):
    kind: Word
    key: Key
    rev: Sequence
    config_rev: Sequence
    doc: Annotated[dict[str, Any], Field(max_length=256)]


class Tombstone(Wire):
    kind: Word
    key: Key
    rev: Sequence


class EventRecord(Wire):
    seq: Annotated[int, Field(ge=1, le=4611686018427387903)]
    wall_us: TimeUs
    monotonic_us: TimeUs
    code: Size
    name: Text
    class_: Annotated[int, Field(ge=-2, le=4)] = Field(alias="class")
    locale: Size
    kind: Word
    key: Text
    params: Annotated[dict[str, Text], Field(max_length=256)]
    text: Text


class Precondition(Wire):
    kind: Word
    key: Key
    config_rev: Sequence


class Actor(Wire):
    name: Text
    role: Text
    via: Text


class EnrolRequest(Wire):
    token: Text
    public_key: Text
    hostname: Text
    machine_id_hash: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$", max_length=4096)]
    agent_version: Text
    former_agent_id: Uuid | None = None


class EnrolResponse(Wire):
    agent_id: Uuid
    server_id: Uuid


class EnrolStatusRequest(Wire):
    """Asks whether the host that enrolled with this token has arrived."""

    token: Text
    agent_id: Uuid


class EnrolStatus(Wire):
    presence: Word
    page_url: Text


class ChallengeFrame(Wire):
    v: Literal[1]
    t: Literal["challenge"]
    ts: TimeUs | None = None
    nonce: Annotated[
        str, StringConstraints(pattern=r"^[!-~]{32,256}$", min_length=32, max_length=256)
    ]
    server_id: Uuid
    server_time_us: TimeUs


class HelloFrame(Wire):
    v: Literal[1]
    t: Literal["hello"]
    ts: TimeUs | None = None
    agent_id: Uuid
    signature: Text
    agent_version: Text
    hostname: Text
    boot_id: Text
    state_epoch: Uuid
    state_rev: Sequence
    event_epoch: Uuid
    event_seq_last: Sequence
    event_seq_first: Sequence
    command_number: Sequence
    capabilities: Annotated[list[Text], Field(max_length=8192)]
    policy_preset: Text
    link_fence: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = (
        None
    )
    state_fence: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = (
        None
    )


class WelcomeFrame(Wire):
    v: Literal[1]
    t: Literal["welcome"]
    ts: TimeUs | None = None
    session_id: Uuid
    acked_rev: Sequence
    acked_event_seq: Sequence
    heartbeat_s: Annotated[int, Field(ge=1, le=600)]
    reconnect_window_s: Annotated[int, Field(ge=0, le=3600)]
    fence: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None


class StateFrame(Wire):
    v: Literal[1]
    t: Literal["state"]
    ts: TimeUs | None = None
    epoch: Uuid
    base_rev: Sequence
    to_rev: Sequence
    full: bool
    more: bool
    objects: Annotated[list[ObjectRecord], Field(max_length=8192)]
    tombstones: Annotated[list[Tombstone], Field(max_length=8192)]


class EventFrame(Wire):
    v: Literal[1]
    t: Literal["event"]
    ts: TimeUs | None = None
    epoch: Uuid
    first_seq: Sequence
    gap: Sequence | None = None
    events: Annotated[list[EventRecord], Field(max_length=256)]


class HeartbeatFrame(Wire):
    v: Literal[1]
    t: Literal["heartbeat"]
    ts: TimeUs | None = None
    state_rev: Sequence
    event_seq: Sequence
    fence: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None


class AckFrame(Wire):
    v: Literal[1]
    t: Literal["ack"]
    ts: TimeUs | None = None
    rev: Sequence | None = None
    event_seq: Sequence | None = None
    result: Uuid | None = None


class NackFrame(Wire):
    v: Literal[1]
    t: Literal["nack"]
    ts: TimeUs | None = None
    reason: Text
    detail: Text | None = None
    retry_s: Annotated[int, Field(ge=0, le=3600)] | None = None


class CommandFrame(Wire):
    v: Literal[1]
    t: Literal["command"]
    ts: TimeUs | None = None
    command_id: Uuid
    number: Annotated[int, Field(ge=1, le=4611686018427387903)]
    op: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", min_length=1, max_length=64)]
    args: Annotated[dict[str, Any], Field(max_length=256)]
    confirm: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None
    preconditions: Annotated[list[Precondition], Field(max_length=16)]
    actor: Actor
    not_after_us: TimeUs


class CmdAckFrame(Wire):
    v: Literal[1]
    t: Literal["cmd_ack"]
    ts: TimeUs | None = None
    command_id: Uuid
    state: Word
    reason: Reason


class ProgressFrame(Wire):
    v: Literal[1]
    t: Literal["progress"]
    ts: TimeUs | None = None
    command_id: Uuid
    percent: Annotated[int, Field(ge=0, le=100)]


class ResultObjectsItem(Wire):
    kind: Word
    key: Key


class ResultFrame(Wire):
    v: Literal[1]
    t: Literal["result"]
    ts: TimeUs | None = None
    command_id: Uuid
    state: Word
    reason: Reason
    objects: Annotated[list[ResultObjectsItem], Field(max_length=8192)]


class QueryFrame(Wire):
    v: Literal[1]
    t: Literal["query"]
    ts: TimeUs | None = None
    id: Uuid
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", min_length=1, max_length=64)]
    args: Annotated[dict[str, Any], Field(max_length=256)]


class AnswerFrame(Wire):
    v: Literal[1]
    t: Literal["answer"]
    ts: TimeUs | None = None
    re: Uuid
    ok: bool
    reason: Reason
    data: Annotated[dict[str, Any], Field(max_length=256)] | None = None


class GoawayFrame(Wire):
    v: Literal[1]
    t: Literal["goaway"]
    ts: TimeUs | None = None
    reason: Text
    spread_s: Annotated[int, Field(ge=0, le=3600)]


class VdCreateArgs(Wire):
    """Creates a virtual drive on unconfigured good drives, or in the free space of drive_group (then without drives)."""

    controller: Key
    level: Word
    drives: Annotated[list[Key], Field(min_length=1, max_length=256)] | None = None
    drives_per_span: Annotated[int, Field(ge=0, le=256)] | None = None
    drive_group: Key | None = None
    size_bytes: Size | None = None
    strip_bytes: Annotated[int, Field(ge=0, le=1048576)] | None = None
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=15)] | None = None
    write_policy: Word | None = None
    read_policy: Word | None = None
    io_policy: Word | None = None
    drive_cache_policy: Word | None = None
    degraded_policy: Word | None = None
    preset: Word | None = None
    accept_risk: bool | None = None
    spares: Annotated[list[Key], Field(max_length=16)] | None = None
    force: bool | None = None
    serials: (
        Annotated[
            list[Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=40)]],
            Field(max_length=272),
        ]
        | None
    ) = None
    plan_digest: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = (
        None
    )


class VdDeleteArgs(Wire):
    """Deletes a virtual drive; confirm must be its name. The last one of a group frees the drives."""

    virtual_drive: Key
    force: bool | None = None
    unless_content: bool | None = None


class VdInitArgs(Wire):
    """Writes zeros over the first and the last 8 MiB of a virtual drive that nobody uses, so that nothing is recognized on it any more; confirm must be its name."""

    virtual_drive: Key
    unless_content: bool | None = None


class StripeCreateArgs(Wire):
    """Stripes (RAID 0) over virtual drives: the stripe is exported instead of them, under its own name."""

    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=15)]
    virtual_drives: Annotated[list[Key], Field(min_length=2, max_length=8)]
    strip_bytes: Annotated[int, Field(ge=0, le=1048576)] | None = None
    force: bool | None = None


class StripeDeleteArgs(Wire):
    """Dissolves a stripe; confirm must be its name. Its virtual drives stay and are exported by themselves again."""

    stripe: Key
    force: bool | None = None


class VdSetArgs(Wire):
    virtual_drive: Key
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=15)] | None = None
    write_policy: Word | None = None
    read_policy: Word | None = None
    io_policy: Word | None = None
    drive_cache_policy: Word | None = None
    degraded_policy: Word | None = None
    preset: Word | None = None
    accept_risk: bool | None = None
    access: Word | None = None
    stripe_log: bool | None = None
    stripe_log_mode: Word | None = None
    hedged_reads: bool | None = None


class VdExpandArgs(Wire):
    """A virtual drive grows into the free space of its drive group directly behind it. Its data and its users stay; who is connected sees the new size when it connects again. The new space reads as what was there before, and is initialized in the background."""

    virtual_drive: Key
    size_bytes: Annotated[int, Field(ge=1, le=9007199254740991)] | None = None


class LoadBlockArgs(Wire):
    bytes: Annotated[int, Field(ge=512, le=8388608)]
    percent: Annotated[int, Field(ge=1, le=100)]


class LoadArgs(Wire):
    """requests that follow one another, so many always under way"""

    pattern: Word
    blocks: Annotated[list[LoadBlockArgs], Field(min_length=1, max_length=16)]
    write_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    workers: Annotated[int, Field(ge=1, le=64)] | None = None
    depth: Annotated[int, Field(ge=1, le=1024)] | None = None
    zone_bytes: Size | None = None
    start_bytes: Size | None = None
    file_bytes: Size | None = None


class VdMeasureArgs(Wire):
    """Runs loads on a virtual drive that nobody uses, which is not exported meanwhile. With one that writes its content is overwritten: then the command is of class X, and confirm must be the virtual drive's name."""

    virtual_drive: Key
    action: Word
    seconds: Annotated[int, Field(ge=1, le=600)] | None = None
    loads: Annotated[list[LoadArgs], Field(min_length=1, max_length=8)] | None = None


class ControllerSetArgs(Wire):
    controller: Key
    rebuild_rate_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    bgi_rate_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    glitch_seconds: Annotated[int, Field(ge=0, le=300)] | None = None
    coercion: Word | None = None
    patrol_mode: Word | None = None
    patrol_rate_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    patrol_delay_hours: Annotated[int, Field(ge=0, le=8760)] | None = None
    patrol_ssds: bool | None = None
    patrol_drives_max: Annotated[int, Field(ge=1, le=255)] | None = None
    patrol_next_at_us: Annotated[int, Field(ge=0, le=9007199254740992)] | None = None
    auto_rebuild: bool | None = None
    emergency_spare: bool | None = None
    emergency_unconfigured: bool | None = None
    copyback: bool | None = None
    predictive_copyback: bool | None = None
    mixed_media: bool | None = None
    mixed_interfaces: bool | None = None


class SpareAddArgs(Wire):
    """Global hot spare, or dedicated to drive_groups."""

    drive: Key
    drive_groups: Annotated[list[Key], Field(max_length=16)] | None = None
    enclosure_affinity: bool | None = None
    non_revertible: bool | None = None
    force: bool | None = None
    serial: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=40)] | None = None


class SpareRemoveArgs(Wire):
    drive: Key


class RebuildArgs(Wire):
    """start, stop, pause or resume the rebuild of a member."""

    drive: Key
    action: Word


class CopybackArgs(Wire):
    """start, stop, pause or resume filling a drive from a member, whose place it takes; the member stays in use meanwhile."""

    drive: Key
    target: Key | None = None
    action: Word


class BgiArgs(Wire):
    """Background initialization or resynchronization of a virtual drive."""

    virtual_drive: Key
    action: Word


class ConsistencyCheckArgs(Wire):
    """start, stop, pause or resume the comparison of a virtual drive's redundancy with its data."""

    virtual_drive: Key
    action: Word
    correct: bool | None = None


class PatrolReadArgs(Wire):
    """start, stop, pause or resume a patrol read of the controller's drives."""

    controller: Key
    action: Word


class DriveReplaceArgs(Wire):
    """Puts an unconfigured good drive in the place of a missing or failed member and starts its rebuild."""

    drive_group: Key
    span: Annotated[int, Field(ge=0, le=127)]
    row: Annotated[int, Field(ge=0, le=255)]
    drive: Key
    force: bool | None = None
    serial: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=40)] | None = None


class DriveOfflineArgs(Wire):
    """Takes an online member offline; refused if it holds a last copy."""

    drive: Key


class DriveOnlineArgs(Wire):
    """Trusts a drive again with which its drive group went offline: the group is made anew from what its drives hold."""

    drive: Key


class DriveMissingArgs(Wire):
    """Gives up an offline or failed member: its place stays, missing, and the drive is no member any more. Refused where its drive group does not work without it."""

    drive: Key


class DriveJbodArgs(Wire):
    """Leaves an unused drive to the host's operating system as it is, until it is made good again."""

    drive: Key


class DriveGoodArgs(Wire):
    """Makes an unconfigured bad or foreign drive unconfigured good; a foreign label is wiped only with force and the serial number as confirm."""

    drive: Key
    force: bool | None = None
    serial: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=40)] | None = None


class DriveEraseArgs(Wire):
    """Overwrites all of a drive that nobody uses; to start, its serial number is needed as confirm. Stopped, it is erased in part and unconfigured bad."""

    drive: Key
    action: Word
    mode: Word | None = None
    pattern_a: Annotated[int, Field(ge=0, le=255)] | None = None
    pattern_b: Annotated[int, Field(ge=0, le=255)] | None = None
    force: bool | None = None


class DriveSpindownArgs(Wire):
    """Stops the motor of an unconfigured drive or a hot spare, for instance before it is removed."""

    drive: Key


class DriveSpinupArgs(Wire):
    """Starts it again."""

    drive: Key


class DriveLocateArgs(Wire):
    drive: Key
    on: bool
    seconds: Annotated[int, Field(ge=0, le=86400)] | None = None


class FaultInjectArgs(Wire):
    """Only on emulated drives. pull: gone; return: the same drive comes back; replace: a blank drive of the same size in its slot."""

    drive: Key
    fault: Word
    lba: Size | None = None
    count: Size | None = None
    latency_ms: Annotated[int, Field(ge=0, le=3600000)] | None = None


class BatteryLearnArgs(Wire):
    """Starts a learn cycle; it waits until the battery is charged."""

    battery: Key


class BatterySetArgs(Wire):
    """When and how learn cycles run."""

    battery: Key
    learn_mode: Word | None = None
    next_learn_at_us: TimeUs | None = None


class BatteryFaultArgs(Wire):
    """Only on emulated batteries."""

    battery: Key
    fault: Word


class CacheDiscardArgs(Wire):
    """Throws away the preserved cache of a virtual drive: acknowledged writes are lost. confirm must be the virtual drive's name."""

    controller: Key
    virtual_drive: Key


class CacheFlushArgs(Wire):
    """Begins to write everything cached to the drives, and to flush them. The cache_flush of the virtual drives tells when that is over."""

    kind: Word
    key: Key


class DoubtClearArgs(Wire):
    """Data that have been in doubt since an unclean stop count as right from now on: somebody has checked them. The finding ends; no data change."""

    virtual_drive: Key


class ForeignImportArgs(Wire):
    """Takes a foreign set over as a drive group, all of it or nothing. Drives of it that are not in sync stay as they are."""

    controller: Key
    set: Key
    digest: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None


class ForeignClearArgs(Wire):
    """Takes the metadata off the drives of a foreign set, and nothing else; they are saved before and can be restored (undo_restore). confirm must be the set's name."""

    controller: Key
    set: Key
    digest: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None


class UndoRestoreArgs(Wire):
    """Brings back what a deletion took away, out of the metadata that were saved before it, all of it or nothing. Only while the data areas are untouched."""

    controller: Key
    undo: Annotated[int, Field(ge=1, le=4611686018427387903)]


class CountersResetArgs(Wire):
    """Forgets latencies and hit rates and, of a virtual drive, what adaptive read-ahead has learned."""

    kind: Word
    key: Key


class PreviewVdCreateArgs(Wire):
    controller: Key
    level: Word
    drives: Annotated[list[Key], Field(min_length=1, max_length=256)] | None = None
    drives_per_span: Annotated[int, Field(ge=0, le=256)] | None = None
    drive_group: Key | None = None
    size_bytes: Size | None = None
    strip_bytes: Annotated[int, Field(ge=0, le=1048576)] | None = None
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=15)] | None = None
    write_policy: Word | None = None
    read_policy: Word | None = None
    io_policy: Word | None = None
    drive_cache_policy: Word | None = None
    degraded_policy: Word | None = None
    preset: Word | None = None
    accept_risk: bool | None = None
    spares: Annotated[list[Key], Field(max_length=16)] | None = None
    force: bool | None = None
    serials: (
        Annotated[
            list[Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=40)]],
            Field(max_length=272),
        ]
        | None
    ) = None


class PreviewAnswerWastedItem(Wire):
    drive: Key
    bytes: Size


class PoliciesPreview(Wire):
    """what would hold, and why"""

    write_policy: Policy
    read_policy: Policy
    io_policy: Policy
    drive_cache_policy: Policy
    degraded_policy: Policy | None = None


class PreviewAnswer(Wire):
    ok: bool
    refusals: Annotated[list[Reason], Field(max_length=8192)]
    warnings: Annotated[list[Reason], Field(max_length=8192)]
    plan_digest: Text
    level: Word
    size_bytes: Size
    raw_bytes: Size
    wasted_bytes: Size
    wasted: Annotated[list[PreviewAnswerWastedItem], Field(max_length=8192)]
    drive_failures_tolerated: Size
    tolerance: Text
    span_count: Size
    drives_per_span: Size
    strip_bytes: Size
    row_bytes: Size
    block_bytes: Size
    init_seconds: Size | None
    cli: Text
    policies: PoliciesPreview | None = None
    risks: Annotated[list[Reason], Field(max_length=8192)] | None = None


class PreviewVdSetArgs(Wire):
    """What a vd_set of these policies would make of them."""

    virtual_drive: Key
    write_policy: Word | None = None
    read_policy: Word | None = None
    io_policy: Word | None = None
    drive_cache_policy: Word | None = None
    degraded_policy: Word | None = None
    preset: Word | None = None


class PolicyAnswer(Wire):
    ok: bool
    refusals: Annotated[list[Reason], Field(max_length=8192)]
    policies: PoliciesPreview
    risks: Annotated[list[Reason], Field(max_length=8192)]
    cli: Text


class LatencyArgs(Wire):
    """Query: reads, writes and flushes since the counters were reset, and what waits now."""

    kind: Word
    key: Key


class LatencyBucket(Wire):
    below_us: TimeUs
    count: Size


class LatencySummary(Wire):
    count: Size
    mean_us: TimeUs
    p50_us: TimeUs
    p99_us: TimeUs
    p999_us: TimeUs
    max_us: TimeUs
    total_us: TimeUs | None = None
    total_bytes: Size | None = None
    buckets: Annotated[list[LatencyBucket], Field(max_length=64)]


class LatencyAnswer(Wire):
    since_us: TimeUs
    read: LatencySummary
    write: LatencySummary
    flush: LatencySummary
    queued: Size | None = None
    cache_hit_bytes: Size | None = None
    cache_miss_bytes: Size | None = None


class BadBlocksArgs(Wire):
    """Query: the bad-block table."""

    kind: Word
    key: Key
    after_lba: Size | None = None


class BadBlock(Wire):
    lba: Size
    count: Size
    kind: Word | None = None
    found_us: TimeUs | None


class BadBlocksAnswer(Wire):
    block_bytes: Size
    total: Size
    more: bool
    blocks: Annotated[list[BadBlock], Field(max_length=256)]


class ForeignArgs(Wire):
    """Query: sets of drives that belong to somebody else, out of the DDF metadata and md superblocks of drives that are only offered and the labels of other controllers, and what an import would make of them."""

    controller: Key


class ForeignMember(Wire):
    drive: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None
    serial: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    state: Word
    outcome: Word | None = None


class ForeignVirtualDrive(Wire):
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    level: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    size_bytes: Size
    strip_bytes: Size
    consistent: bool
    state: Word
    reason: Reason | None
    outcome: Word | None = None
    imported_as: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=15)] | None = (
        None
    )
    target_id: Size | None = None
    members: Annotated[list[ForeignMember], Field(max_length=2048)]


class ForeignDriveArgs(Wire):
    """what a drive of the set says, and what an import does with it; left: nothing is written to it"""

    drive: Key
    sequence: Sequence
    state: Word
    outcome: Word


class ForeignSet(Wire):
    format: Word
    id: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    version: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=16)]
    sequence: Sequence
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None
    origin: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None
    digest: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)] | None = None
    outcome: Word | None = None
    refusal: Reason | None = None
    drives: Annotated[list[Key], Field(max_length=1024)]
    drive_states: Annotated[list[ForeignDriveArgs], Field(max_length=1024)] | None = None
    virtual_drives: Annotated[list[ForeignVirtualDrive], Field(max_length=4096)]


class ForeignDamage(Wire):
    """a drive of which nothing can be believed"""

    drive: Key
    reason: Reason


class ForeignAnswer(Wire):
    sets: Annotated[list[ForeignSet], Field(max_length=1024)]
    damaged: Annotated[list[ForeignDamage], Field(max_length=1024)]


class UndoArgs(Wire):
    """Query: saved metadata of destructive changes, the newest first, and whether they can be undone."""

    controller: Key


class UndoDrive(Wire):
    drive: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    serial: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    refusal: Reason | None


class UndoEntry(Wire):
    undo: Annotated[int, Field(ge=1, le=4611686018427387903)]
    kind: Word
    name: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    who: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=64)]
    saved_at_us: TimeUs
    until_us: TimeUs
    refusal: Reason | None
    drives: Annotated[list[UndoDrive], Field(max_length=256)]


class UndoAnswer(Wire):
    entries: Annotated[list[UndoEntry], Field(max_length=64)]


REASONS: dict[str, str] = {
    "ok": "Done.",
    "invalid_argument": "{field}: {problem}.",
    "unknown_command": "This agent does not know the command {op}.",
    "unknown_object": "There is no {kind} {key} on this host.",
    "ambiguous_object": "This key is that of {first} and of {other}, so it does not say which is meant. Nothing was changed. Use arrayctl on the host, which names the one or the other, and delete the one that is out of use there.",
    "not_permitted": "Your role on this host does not permit {op}.",
    "policy_denied": 'The host\'s policy "{policy}" refuses {op} from the backend: it {effect}. An administrator can run it on the host.',
    "policy_confirm_needed": 'The host\'s policy "{policy}" requires the typed name or serial number of the object for {op}.',
    "policy_hour_used": 'The host\'s policy "{policy}" permits {limit} destroying commands an hour from the backend, and they are used up. Repeat {op} in {minutes} min, or run it on the host.',
    "stale_precondition": "It has changed since you looked at it. Look again and repeat the command.",
    "plan_changed": "The drives or settings have changed since this plan was made. Nothing was changed. Preview again, or repeat the command.",
    "expired": "The command expired before it could run.",
    "interrupted": "The agent stopped while this command ran. Look at the present state before you repeat it.",
    "host_restored": "The state of the host went back after this command was sent; whether it ran is not known. Look at the object before you repeat it.",
    "identity_in_use": "Another machine uses this host's identity, or has until a short while ago. If this machine is a copy, give it an identity of its own: arraywright-uplink enrol --force.",
    "busy": "{key} is busy with {operation}. Wait for it or stop it first.",
    "shutting_down": "The agent is shutting down.",
    "not_online": "The controller is not online yet.",
    "store_full": "The agent's state directory is full; nothing was changed.",
    "store_failed": "The agent could not save its configuration ({error}); nothing was changed.",
    "label_failed": "The label of drive {drive} could not be written; nothing was changed.",
    "label_refused": "The label of drive {drive} could not be written; nothing was changed. {why}",
    "too_few_drives": "{level} needs at least {minimum} drives; {given} were given.",
    "too_many_drives": "{level} takes at most {maximum} drives; {given} were given.",
    "drive_count_multiple": "{level} needs a multiple of {multiple} drives; {given} were given.",
    "drive_repeated": "Drive {drive} was named twice.",
    "drive_too_small": "Drive {drive} is {missing_bytes} too small: it has {size_bytes} usable, and {needed_bytes} are needed.",
    "drive_not_ugood": "Drive {drive} is {state}; only unconfigured good drives can be used.",
    "drive_gone": "Drive {drive} is no longer there.",
    "drive_in_use": "Drive {drive} cannot be used: {why}.",
    "drive_has_data": "Drive {drive} carries {signature}, which this would destroy. If nobody needs it, repeat with force (and, over the API, with the drive's serial number).",
    "drive_needed": "Drive {drive} belongs to drive group {group}, which cannot work without it. Nothing was changed. To give up the drive group, delete its virtual drives first.",
    "drive_changed": 'What is on drive {drive} has changed since the host last looked at it. Nothing was changed. Look at it with "{drive} show all", then repeat the command.',
    "drive_foreign": 'Drive {drive} carries a foreign label. If nobody needs its data, free it with "{drive} set good force".',
    "mixed_sector_sizes": "Drives with {first} and {second} byte blocks cannot share a drive group.",
    "mixed_media": "SSDs and hard disks cannot share a drive group.",
    "mixed_interfaces": "SAS and SATA drives cannot share a drive group; the controller's policy does not permit it.",
    "strip_invalid": "The strip size must be a power of two from 8 KiB to 1 MiB.",
    "size_invalid": "The size must be at least one row ({row_bytes}) and at most {maximum_bytes}. It is rounded down to whole rows.",
    "name_invalid": "A name has 1 to 15 characters out of A-Z a-z 0-9 _ and -.",
    "name_taken": 'The name "{name}" is already used by {key}.',
    "strip_unsupported": "{model} has no strips of {given} bytes. It has: {sizes}.",
    "too_many_spans": "{model} takes at most {maximum} spans; {given} would be made.",
    "no_port": "{model} has {ports} ports; {needed} would be needed.",
    "level_unsupported": "The level {level} is not supported by this controller.",
    "level_differs": "Drive group {group} is {level}; its virtual drives must be too.",
    "group_full": "Drive group {group} has no room for another virtual drive of that size.",
    "too_many_virtual_drives": "The limit of {maximum} virtual drives is reached.",
    "confirm_mismatch": "The typed name does not match {expected}; nothing was changed.",
    "confirm_needed": "Type {expected} to confirm.",
    "virtual_drive_has_content": 'Virtual drive "{name}" carries {content}. To delete it all the same, repeat with force, or with confirm={name}.',
    "virtual_drive_content_unknown": 'What virtual drive "{name}" carries cannot be read. To delete it all the same, repeat with force, or with confirm={name}.',
    "init_content": 'Virtual drive "{name}" carries {content}. To initialize it all the same, repeat with force, or with confirm={name}.',
    "init_content_unknown": 'What virtual drive "{name}" carries cannot be read. To initialize it all the same, repeat with force, or with confirm={name}.',
    "init_device": 'Virtual drive "{name}" is {device} on this host. Set accesspolicy=blocked first, so that nobody uses it.',
    "init_preserved": 'Cached writes of virtual drive "{name}" wait for their drives. It can be initialized when they are written or discarded.',
    "init_failed": 'The drives of virtual drive "{name}" did not take all zeros. What it carried may be destroyed in part.',
    "virtual_drive_in_use": 'Virtual drive "{name}" has {connections} open connections. Disconnect its users first.',
    "measure_in_use": 'Virtual drive "{name}" has {connections} open connections. Only one that nobody uses can be measured.',
    "measure_device": 'Virtual drive "{name}" is {device} on this host. Only one that nobody uses can be measured.',
    "measure_preserved": 'Cached writes of virtual drive "{name}" wait for their drives; nothing is measured over them.',
    "measure_failed": "The virtual drive answered a request with an error.",
    "measure_interrupted": "The virtual drive was taken away: it is being stopped, changed or deleted.",
    "expand_no_space": 'Virtual drive "{name}" cannot grow: there is no free space of a row or more directly behind it in {group}.',
    "expand_size": 'Virtual drive "{name}" has {size_bytes}. It can grow in steps of {row_bytes} up to {maximum_bytes}; it never becomes smaller.',
    "expand_preserved": 'Cached writes of virtual drive "{name}" wait for their drives. It can grow when they are written or discarded.',
    "stripe_member": 'Virtual drive "{name}" is part of the stripe "{stripe}". Delete the stripe first.',
    "stripe_member_incomplete": 'Virtual drive "{name}" is part of the stripe "{stripe}", which is incomplete. Delete that one first, or use force to give it up.',
    "stripe_has_data": 'Virtual drive "{name}" carries data, which a stripe overwrites. Use force to give it up.',
    "spare_too_small": "Drive {drive} is {missing_bytes} too small to replace any member of {group}: it has {size_bytes} usable, and {needed_bytes} are needed.",
    "spare_not_needed": "No drive group here has redundancy that a spare could restore.",
    "spare_none": "No suitable hot spare is available.",
    "copyback_source_lost": "The member that was being copied was lost.",
    "copyback_source_done": "Its place was taken by {drive}, which was filled from it.",
    "copyback_running": "Drive {drive} is being filled by a copyback.",
    "copyback_none": "There is no copyback of drive {drive}.",
    "copyback_one": "Drive group {group} has one copyback already; the next can begin when it has ended.",
    "spare_other_group": "It is dedicated to other drive groups.",
    "spare_other_enclosure": "It serves only its own enclosure; the member is in another one.",
    "spare_failed_before": "The last attempt to use it failed: {why} It is tried again automatically.",
    "spare_set_missing": "A user took it out of its place, so it does not stand in automatically.",
    "rebuild_tried_again": "The rebuild of drive {drive} failed and is tried again automatically. {why}",
    "spare_chosen_dedicated": "It is the best suited hot spare of those dedicated to this drive group.",
    "spare_chosen_global": "It is the best suited global hot spare.",
    "spare_chosen_emergency_spare": "It is the only hot spare left; in an emergency the controller's policy permits one of another kind than the members.",
    "spare_chosen_emergency_unconfigured": "No hot spare is suitable; in an emergency the controller's policy permits an unconfigured good drive.",
    "spare_after_dedicated": "{drive} is dedicated to this drive group and goes first.",
    "spare_after_regular": "{drive} is a suitable hot spare; this one is only for an emergency.",
    "spare_after_near": "{drive} is in the enclosure of the member and goes first.",
    "spare_after_smaller": "{drive} is smaller and large enough.",
    "spare_after_equal": "{drive} is as good and comes first.",
    "not_a_spare": "Drive {drive} is not a hot spare.",
    "not_rebuilding": "Drive {drive} is not being rebuilt.",
    "nothing_to_rebuild": "Drive {drive} is not a member that needs a rebuild.",
    "already_running": "{operation} is already running.",
    "not_running": "{operation} is not running.",
    "not_emulated": "Drive {drive} is a real drive; faults can be tried only on emulated drives.",
    "last_copy": "Drive {drive} holds the last copy of data of {group}; it cannot be taken away.",
    "wrong_state": "{key} is {state}; that does not permit {op}.",
    "undo_needed": "The configuration could not be saved for undo; nothing was changed.",
    "undo_full": "{count} saved configurations are kept already, as many as there is room for; the oldest goes in {days} days. Nothing was changed.",
    "undo_cache": "Acknowledged writes that were only in the cache were given up with it.",
    "undo_degraded": "Not all members of its drive group were in sync when it was deleted.",
    "undo_bad_blocks": "It had blocks that were known to be bad; which ones is not known any more.",
    "undo_present": 'Virtual drive "{name}" exists.',
    "undo_group_gone": "The drive group it was in is not here.",
    "undo_space_used": "Its place in {group} has been used since.",
    "undo_damaged": "What was saved as {place} cannot be read. With {place} put back out of a copy of the agent's state directory, and the agent started again, it can be restored; without, its room is used again in time.",
    "undo_uncertain": "The newer saved configuration {undo} ({place}) cannot be read: nobody can tell whether the space of this one has been used since. Put {place} back out of a copy of the agent's state directory and start the agent again.",
    "undo_uncertain_gone": "A newer saved configuration could not be read and is gone: nobody can tell whether the space of this one has been used since.",
    "undo_member_replaced": "Another drive has taken a place in {group} since.",
    "undo_spare_away": "Restored, but drive {drive} is not a hot spare of drive group {group} again. {why}",
    "undo_drive_gone": "Drive {serial} is not there.",
    "undo_drive_differs": "Drive {drive} has another serial number or size than the one that was there.",
    "undo_drive_used": "Drive {drive} is in use again.",
    "undo_drive_written": "Drive {drive} has been written to since.",
    "undo_drive_unreadable": "Drive {drive} could not be read when the configuration was saved: nobody can tell whether it has been written to since.",
    "host_offline": "The host is offline since {since}. Its last known state is shown.",
    "role_needed": "This needs the role {role}.",
    "no_cache_memory": "No cache memory is fitted, so writes go through to the drives.",
    "as_requested": "As requested.",
    "guarantee_write_through": "After an unclean stop the whole virtual drive is resynchronized. If a drive was missing before, none of its blocks can be read until they are written again, data at rest included. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount.",
    "guarantee_no_redundancy": "Acknowledged writes are on the drives after a flush. There is no redundancy: the loss of one drive loses the virtual drive.",
    "write_policy_no_battery": "There is no battery, so writes go through to the drives.",
    "write_policy_battery_missing": "The battery is missing, so writes go through to the drives.",
    "write_policy_battery_failed": "The battery has failed, so writes go through to the drives.",
    "write_policy_battery_degraded": "The battery needs attention, so writes go through to the drives.",
    "write_policy_battery_low": "The battery's charge is too low to keep the cache, so writes go through to the drives.",
    "write_policy_battery_charging": "The battery is being charged; write-back returns when it is full enough.",
    "write_policy_battery_learning": "A learn cycle empties the battery; write-back returns when it is over.",
    "write_policy_battery_unknown": "The battery's state is not known, so writes go through to the drives.",
    "write_policy_battery_emulated": "The emulated battery protects emulated drives only; {drive} is real, so writes go through to the drives.",
    "write_policy_on_battery": "The host runs on its battery, so writes go through to the drives and the cache is emptied.",
    "write_policy_ups_silent": "The UPS {source} does not answer or its figures are stale, so writes go through to the drives.",
    "write_policy_ups_runtime_unknown": "The UPS {source} does not say how long its battery lasts, so writes go through to the drives.",
    "write_policy_ups_runtime": "The UPS leaves no time to empty the cache before the host must stop, so writes go through to the drives.",
    "write_policy_refused": "This controller does not offer write-back without a working battery.",
    "write_policy_reverted": "This controller permits write-back without a battery until it starts again; it has started again.",
    "write_policy_forced": "Write-back is forced without a working battery: a power failure loses what is in the cache.",
    "write_policy_until_restart": "Write-back without a working battery lasts until the controller starts again: a power failure loses what is in the cache.",
    "cache_no_place": "The cache has no place for another virtual drive: writes of this one go through to the drives and nothing is read ahead.",
    "write_policy_degraded": "It has lost redundancy and is to write through meanwhile; write-back returns when it is rebuilt.",
    "write_policy_shutting_down": "The agent is shutting down, so writes go through to the drives.",
    "write_policy_cache_state": "The cache is {state}, so writes go through to the drives.",
    "write_policy_cache_pinned": "Earlier cached writes of the virtual drive are preserved and not on its drives, so nothing new is cached.",
    "read_policy_cache_state": "The cache is {state}, so nothing is read ahead.",
    "battery_ok": "The battery is charged and in good health.",
    "battery_present": "The battery is present; this model tells nothing more.",
    "battery_persistent": "The cache medium keeps its content without power; no battery is needed.",
    "battery_charging": "The battery is being charged.",
    "battery_discharging": "The host runs on the battery.",
    "battery_learning": "A learn cycle measures the battery's capacity.",
    "battery_charge_low": "The battery's charge is too low to keep the cache for the time it is made for.",
    "battery_hot": "The battery is too warm: {temperature_c} degrees Celsius.",
    "battery_worn": "The battery holds {health_percent} % of its design capacity; replace it.",
    "battery_learn_failed": "The last learn cycle failed; replace the battery.",
    "battery_replace": "The UPS asks for a new battery.",
    "battery_failed": "The battery has failed; replace it.",
    "battery_missing": "No battery pack is connected.",
    "battery_silent": "{source} does not answer.",
    "battery_stale": "The figures of {source} are stale.",
    "battery_driver_gone": "The driver of {source} is not connected.",
    "battery_contradicts": "What {source} says contradicts itself (status {status}).",
    "battery_not_in_line": "The UPS does not protect the host now: its status is {status}.",
    "battery_forced_shutdown": "The UPS has announced that it will switch off.",
    "cache_recovering": "The cache's content is being recovered after an unclean stop.",
    "cache_draining": "The cache is being emptied.",
    "cache_suspended": "The cache is not used now: {why}.",
    "cache_medium_gone": "The cache medium {medium} is gone ({error}).",
    "cache_medium_foreign": "The cache medium {medium} belongs to another controller ({controller}); it is left untouched.",
    "cache_medium_damaged": "The cache medium {medium} is damaged ({error}); it is left untouched.",
    "cache_medium_held": "The cache medium {medium} is in use by another process.",
    "cache_medium_small": "The cache medium {medium} has {size_bytes}; at least {needed_bytes} are needed.",
    "cache_preserved_members": "Drives of the virtual drive are missing; its cached writes wait for them.",
    "cache_preserved_refused": "The drives of the virtual drive do not take its cached writes now.",
    "cache_preserved_changed": "The drive group went on without this cache: another system changed it, or the cache is an older copy. Its writes are not put over what is on the drives.",
    "cache_preserved_unknown": "The virtual drive is not known here. Its cached writes reach its drives when it is imported from a foreign configuration.",
    "finding_virtual_drive_offline": 'Virtual drive "{name}" is offline: too few of its drives are in sync.',
    "effect_virtual_drive_offline": "It cannot be read or written. What is on its drives was not changed.",
    "finding_virtual_drive_refused": 'Virtual drive "{name}" is offline: drives that it cannot do without refuse writes, and its start has to write.',
    "remedy_virtual_drive_refused": "Remove the cause that the findings of its drives name. It then starts automatically. Do not delete or initialize anything.",
    "remedy_virtual_drive_offline": "Put the missing drives back. Do not delete or initialize anything.",
    "finding_virtual_drive_degraded": 'Virtual drive "{name}" is degraded. Not in sync: {places}.',
    "effect_virtual_drive_degraded": "It survives no further failure: losing one of {drives} loses its data.",
    "remedy_virtual_drive_degraded": "Nothing is being rebuilt. Replace {drive}, or add a hot spare.",
    "finding_virtual_drive_partially_degraded": 'Virtual drive "{name}" is partially degraded. Not in sync: {places}.',
    "effect_virtual_drive_partially_degraded": "It survives the failure of {count} more drives.",
    "remedy_virtual_drive_partially_degraded": "Nothing is being rebuilt. Replace {drive}, or add a hot spare.",
    "remedy_virtual_drive_stale": "Put the drives with the newest data back. Do not delete or initialize anything.",
    "remedy_member_gone": "Nothing is being rebuilt. Put the drive with {drive} back, insert a new one in an empty bay, or add a hot spare.",
    "finding_virtual_drive_lost_blocks": 'Virtual drive "{name}" has unreadable or lost blocks: {count}.',
    "effect_virtual_drive_lost_blocks": "Reading them fails until they are written again. All other data are intact.",
    "remedy_virtual_drive_lost_blocks": 'List them with "{path} show badblocks", and restore the files concerned from a backup.',
    "finding_virtual_drive_lost_parity": 'Virtual drive "{name}" has unreadable blocks of parity: {count}.',
    "effect_virtual_drive_lost_parity": "All data can be read. Where the parity is lost, the failure of a drive loses data.",
    "remedy_virtual_drive_lost_parity": 'Write the parity again with a consistency check: "{path} start cc".',
    "remedy_virtual_drive_lost_parity_later": 'Bring back full redundancy first: no check writes parity while a drive is missing. Then write the parity again with a consistency check: "{path} start cc".',
    "finding_writes_lost": 'Virtual drive "{name}" has lost acknowledged writes.',
    "effect_writes_lost": "Its data may be older than the programs that use it believe.",
    "remedy_writes_lost_damaged": 'Find out what writes to the cache medium besides arrayd, or replace the medium. Check the file systems and applications on the virtual drive, and restore what is damaged from a backup. Then clear the mark with "{path} delete preservedcache".',
    "remedy_writes_lost": 'Check the file systems and applications on it, and restore what is damaged from a backup. Then clear the mark with "{path} delete preservedcache".',
    "finding_data_suspect": 'The agent stopped uncleanly, and virtual drive "{name}" lacked full redundancy then or at the next start. In doubt: up to {bytes}.',
    "effect_data_suspect": "Data that were being written at the stop may be wrong.",
    "remedy_data_suspect": 'Bring back full redundancy, then check the file systems and applications on it, and restore what is damaged from a backup. This finding ends with "{path} delete doubt" then, or when all data in doubt have been written anew.',
    "remedy_data_suspect_whole": 'Full redundancy is back, but it cannot tell which data are right. Check the file systems and applications on it, and restore what is damaged from a backup. This finding ends when all data in doubt have been written anew, or with "{path} delete doubt".',
    "finding_redundancy_inconsistent": 'A consistency check of virtual drive "{name}" found places where redundancy and data disagree: {count}.',
    "effect_redundancy_inconsistent": "It is not known which of the two is right: what is read there, or rebuilt after a drive failure, may be wrong.",
    "remedy_redundancy_inconsistent": 'List the places with "{path} show cc", and compare the data there with a backup. A check that corrects makes them agree again, and takes what is read now as right.',
    "remedy_redundancy_inconsistent_degraded": 'List the places with "{path} show cc", and compare the data there with a backup: they may be wrong. A rebuild takes them as they are, and no check finds them after that.',
    "effect_redundancy_inconsistent_rebuilt": "A drive has been rebuilt since from what is there: the data of these places may be wrong, and a check does not find them any more.",
    "remedy_redundancy_inconsistent_rebuilt": "Compare the data of these places with a backup, and restore what is wrong. The events of that check name them. This ends with a check that corrects, which takes what is read as right.",
    "finding_write_policy_lowered": 'Virtual drive "{name}" uses {effective} instead of {requested}.',
    "effect_write_policy_lowered": "Writes are slower. No data are at risk.",
    "remedy_write_policy_lowered": "Remove the cause. The requested policy then returns automatically.",
    "finding_write_policy_waits": 'Virtual drive "{name}" uses {effective} instead of {requested} for now.',
    "effect_write_policy_waits": "Writes are slower. No data are at risk.",
    "remedy_write_policy_waits": "Nothing. The requested policy returns automatically.",
    "finding_write_back_unprotected": 'Virtual drive "{name}" uses write-back without protection.',
    "effect_write_back_unprotected": "A power failure loses acknowledged writes.",
    "remedy_write_back_unprotected": "Fit a working battery, or choose a policy that does not force write-back.",
    "finding_stripe_incomplete": 'Stripe "{name}" is incomplete: {found} of its {count} virtual drives are here.',
    "effect_stripe_incomplete": "It is not exported.",
    "remedy_stripe_incomplete": "Bring back the drives of its missing virtual drives.",
    "finding_drive_failed": "Drive {drive} (serial {serial}) failed.",
    "effect_drive_failed": "It is no longer used.",
    "remedy_drive_failed": 'Replace it. "{path} start locate" makes its bay blink.',
    "remedy_drive_no_space": "Make room for it. Its rebuild is then tried again automatically.",
    "remedy_drive_read_only": "Make it writable. Its rebuild is then tried again automatically.",
    "remedy_drive_replaced": 'Another drive has taken its place. Remove the cause, then free it with "{path} set good".',
    "remedy_drive_replaced_overwritten": 'Another drive has taken its place. Look at what is on it before you free it with "{path} set good".',
    "remedy_drive_stale": 'Rebuild it with "{path} start rebuild", or insert another drive.',
    "effect_drive_stale_offline": "It is not used: what it holds is older than what drive group {group} held last. The drive group is offline without it.",
    "remedy_drive_stale_offline": "Put the drive with the newest data back. If all drives of the drive group were restored from images of one moment, and their data are to be used, stop arrayd, move {record} out of the state directory, and start arrayd. What was written after the images is then given up.",
    "effect_drive_group_offline": "Drive group {group} is offline, and this drive does not bring it back.",
    "remedy_drive_group_offline": "Bring drive group {group} back first. This drive can be rebuilt or replaced then.",
    "remedy_drive_later_offline": "Bring drive group {group} back first. Keep this drive until you have compared the data.",
    "remedy_drive_failed_dark": "Replace it. Find it by its serial number, because its bay has no locate LED that this host can switch.",
    "finding_drive_missing": "Drive {drive} (serial {serial}) is missing from drive group {group}.",
    "effect_drive_missing": "The drive group does without it until it is back or replaced.",
    "effect_drive_missing_offline": "The drive group is offline without it.",
    "remedy_drive_missing_offline": "Put it back. A new drive does not bring the data back.",
    "remedy_drive_missing": "Put it back, or insert a new drive in its bay.",
    "finding_drive_removed": "Drive {drive} (serial {serial}) was removed, and another drive has taken its place.",
    "effect_drive_removed": "The drive group does not need it any more. Its bay is empty.",
    "remedy_drive_removed": 'Put it back, insert a new drive in its bay, or do without it: "{path} set missing".',
    "finding_drive_offline": "Drive {drive} (serial {serial}) of drive group {group} is offline.",
    "effect_drive_offline": "The drive group does without it.",
    "remedy_drive_offline": 'Rebuild it with "{path} start rebuild", or replace it.',
    "finding_drive_out_of_date": "Drive {drive} (serial {serial}) was away and may have missed writes of drive group {group}.",
    "effect_drive_out_of_date": "The drive group does without it.",
    "remedy_drive_out_of_date": 'Rebuild it with "{path} start rebuild", or replace it.',
    "finding_drive_unconfigured_bad": "Drive {drive} (serial {serial}) is unconfigured bad.",
    "effect_drive_unconfigured_bad": "It is not used.",
    "remedy_drive_apart": 'Keep it until you have compared the data. If nobody needs what only it holds, free it with "{path} set good".',
    "remedy_drive_unconfigured_bad": 'Replace it. If you trust it, free it with "{path} set good".',
    "finding_drive_shrunk": "Drive {drive} (serial {serial}) is {missing} smaller than when it was taken into use: {size} instead of {used} bytes.",
    "effect_drive_shrunk": "What it held at its end is out of reach. The drive is not used, and nothing on it is changed.",
    "remedy_drive_shrunk": 'Give the device its former size back. If its content is not needed, free it with "{path} set good force".',
    "remedy_drive_empty": "Attach its file or medium, or take it out of the configuration. The agent looks again every few seconds.",
    "remedy_drive_shrunk_too_small": "Give the device its former size back, or replace the drive.",
    "finding_drive_unclaimed": "Drive {drive} (serial {serial}) belongs to this controller, but the agent cannot claim it.",
    "effect_drive_unclaimed": "Nothing on it is read or written.",
    "effect_drive_unclaimed_erasing": "Its erase is not finished. It goes on as soon as the agent has the drive.",
    "effect_drive_unclaimed_erased": "It is erased in part, and nothing on it is read or written.",
    "effect_drive_unclaimed_group": "Drive group {group} does without it.",
    "effect_drive_unclaimed_group_offline": "Drive group {group} is offline without it.",
    "effect_drive_unclaimed_spare": "This hot spare cannot replace a failed drive.",
    "finding_drive_named_twice": "Drive {drive} is configured twice.",
    "effect_drive_named_twice": "It is used under the other name only.",
    "remedy_drive_named_twice": "Remove {device} from the drives in arrayd.conf, then restart arrayd.",
    "remedy_drive_unclaimed": "Remove the cause. The agent tries again every few seconds and then takes the drive back automatically.",
    "finding_drive_predictive_failure": "Drive {drive} (serial {serial}) predicts that it will fail.",
    "effect_drive_predictive_failure": "It still works, but may fail at any time.",
    "remedy_drive_predictive_failure": "Replace it soon, and keep a hot spare ready.",
    "finding_drive_media_errors": "Drive {drive} (serial {serial}) has had media errors: {count}.",
    "effect_drive_media_errors": "They were corrected wherever redundancy allowed it.",
    "remedy_drive_media_errors": "Watch the drive. Replace it if the number grows.",
    "finding_drive_slow": "Drive {drive} (serial {serial}) is much slower than the other drives of its group.",
    "effect_drive_slow": "It slows down the whole drive group.",
    "remedy_drive_slow": "Check its cable and bay. Replace it if it stays slow.",
    "finding_drive_refuses_writes": "Drive {drive} (serial {serial}) refuses writes.",
    "effect_drive_refuses_writes": "Writes that need it fail. It keeps its place, because the drive group cannot do without it.",
    "remedy_drive_refuses_writes": "Remove the cause. Writes are taken again within seconds of that, and this ends half a minute after the last one that was refused.",
    "finding_drive_cache_refused": 'The write cache of drive {drive} (serial {serial}) is not {wanted}, as virtual drive "{name}" requests.',
    "effect_drive_cache_refused": "A power failure loses what the drive's cache holds and no flush has covered.",
    "effect_drive_cache_not_on": "Writes to the drive are slower.",
    "remedy_drive_cache_refused": 'Replace the drive with one that can be switched, or leave each drive as it came with "{path} set pdcache=default".',
    "finding_drive_foreign": "Drive {drive} (serial {serial}) carries a foreign label that belongs to no set which can be imported.",
    "effect_drive_foreign": "It is not used.",
    "remedy_drive_foreign": 'If its content is not needed, free it with "{path} set good force".',
    "finding_drive_overwritten": "Another program wrote to drive {drive} (serial {serial}) of drive group {group}.",
    "effect_drive_overwritten": "The drive is set aside. The drive group does without it, and nothing on it is read or changed.",
    "effect_drive_overwritten_offline": "The drive is set aside, and nothing on it is read or changed. Drive group {group} is offline, and this drive does not bring it back.",
    "remedy_drive_overwritten": 'Look at what is on the drive. Then rebuild it with "{path} start rebuild", which overwrites that, or replace it.',
    "effect_drive_overwritten_used": "The drive group would be offline without it, so the drive is used, and its data may be wrong.",
    "remedy_drive_overwritten_used": 'Compare the data of the drive group with a backup. Once they are right, end this with "{path} set online".',
    "remedy_drive_overwritten_offline": "Bring drive group {group} back first. Then compare its data with a backup.",
    "finding_drive_path_lost": "{device} no longer names what drive {drive} (serial {serial}) uses.",
    "effect_drive_path_lost": "The drive works until the agent stops. The next start does not find it under that name.",
    "remedy_drive_path_lost": "Give it back the name {device} while the agent runs.",
    "remedy_drive_path_deleted": 'What is on it is lost when the agent stops. Before that, fill another drive from it with "{path} start copyback target=DRIVE".',
    "remedy_drive_path_deleted_offline": "What is on it is lost when the agent stops. Leave arrayd running, and bring drive group {group} back first: then another drive can be filled from this one.",
    "remedy_drive_path_deleted_copied": "What is on it is lost when the agent stops. Let the copyback from it end first: the other drive takes its place.",
    "remedy_drive_path_deleted_needed": 'What is on it is lost when the agent stops. Before that, use it again with "{path} set online", then fill another drive from it with "{path} start copyback target=DRIVE".',
    "remedy_drive_path_deleted_filled": 'What is copied onto it is lost when the agent stops. Stop that with "{path} stop copyback", and begin a copyback onto another drive.',
    "remedy_drive_path_deleted_rebuild": 'What is rebuilt onto it is lost when the agent stops. Take it out with "{path} set offline", so that a hot spare or another drive takes its place.',
    "remedy_drive_path_deleted_lost": "No data on it are in use. Add a hot spare, or rebuild onto another drive.",
    "remedy_drive_path_deleted_spare": 'The hot spare is lost when the agent stops. Take it out with "{path} delete hotsparedrive", and make another drive a hot spare.',
    "finding_configured_drive_missing": "Drives that arrayd.conf names do not exist: {names}.",
    "effect_configured_drive_missing": "They are not used.",
    "remedy_configured_drive_missing": "Create or attach them. The agent looks again every few seconds. If they are not wanted any more, remove them from arrayd.conf, then restart arrayd.",
    "finding_rebuild_failed": "The rebuild of drive {drive} (serial {serial}) failed.",
    "effect_rebuild_failed": "Drive group {group} stays degraded.",
    "remedy_rebuild_failed": 'Start it again with "{path} start rebuild", or replace the drive.',
    "finding_rebuild_waits": "The rebuild of drive {drive} (serial {serial}) waits, because drive group {group} is offline.",
    "effect_rebuild_waits": "The drive is not at fault. Its rebuild goes on automatically when the drive group works again.",
    "remedy_rebuild_waits": "Bring drive group {group} back.",
    "finding_erase_waits": "The erase of drive {drive} (serial {serial}) waits.",
    "effect_erase_waits": "It is erased in part, and cannot be used.",
    "remedy_erase_waits": 'Remove the cause. The erase goes on automatically from where it stopped. To end it: "{path} stop erase".',
    "effect_erase_waits_away": "Part of what was on it has not been overwritten and can still be read.",
    "remedy_erase_waits_away": 'Put it back. The erase goes on automatically from where it stopped. To end it: "{path} stop erase".',
    "finding_spare_missing": "Hot spare {drive} (serial {serial}) is missing.",
    "effect_spare_missing": "It cannot replace a failed drive.",
    "remedy_spare_missing": 'Put it back, add another hot spare, or do without it until it is back: "{path} delete hotsparedrive".',
    "finding_spare_overwritten": "Hot spare {drive} (serial {serial}) has lost its label: another program wrote to the drive.",
    "effect_spare_overwritten": "It is no longer a hot spare and cannot replace a failed drive.",
    "remedy_spare_overwritten": 'Look at what is on the drive. Then make it a hot spare again with "{path} add hotsparedrive", or do without it: "{path} delete hotsparedrive".',
    "finding_spare_unusable": "Hot spare {drive} (serial {serial}) cannot serve drive group {groups}.",
    "effect_spare_unusable": "If a drive fails there, this hot spare is not used.",
    "remedy_spare_unusable": "Use another drive as hot spare.",
    "finding_place_empty": "Drive group {group} has lost drives: {drives}.",
    "effect_place_empty": "The drive group does without them until they are back or replaced.",
    "effect_place_empty_offline": "The drive group cannot do without them: it works again when enough of them are back.",
    "effect_place_empty_others": "The drive group is offline, and these drives do not bring it back.",
    "remedy_place_empty_others": "Bring the drive group back first. Then put the drives back, or insert new ones in their bays.",
    "remedy_place_empty": "Put the drives back, or insert new ones in their bays.",
    "place_has_data": "The drive in {drive} carries {signature}, so it is not used for the rebuild.",
    "place_foreign": "The drive in {drive} carries a foreign label, so it is not used for the rebuild.",
    "place_returned": "The drive in {drive} is the lost member. It was away and may have missed writes.",
    "place_returned_later": "The drive in {drive} is the lost member. It was in use without the drives that work now and may hold newer data, so it is not used for the rebuild.",
    "place_unlabelled": "Its drives that are here without a label: {drives}. The drive group was deleted on them, or another program wrote to them.",
    "remedy_place_unlabelled": 'If the drive group was deleted after the state directory was saved, delete what is left of it with "{path} delete force". Otherwise write nothing to these drives: their data may still be there.',
    "remedy_place_has_data": 'If nobody needs that content, overwrite it with "{path} insert dg={group} array={array} row={row} force". Or insert another drive, or add a hot spare.',
    "remedy_place_foreign": 'If nobody needs that content, free the drive with "{path} set good force", then rebuild onto it with "{path} insert dg={group} array={array} row={row}". Or insert another drive, or add a hot spare.',
    "remedy_place_needed": "Do not overwrite that drive. Put the drive with {member} back, insert another drive, or add a hot spare.",
    "remedy_place_free": 'Nothing is being rebuilt. Rebuild onto the drive in {drive} with "{path} insert dg={group} array={array} row={row}", or add a hot spare.',
    "remedy_place_returned": 'Nothing is being rebuilt. Rebuild onto {drive} with "{path} insert dg={group} array={array} row={row} force", insert another drive, or add a hot spare.',
    "remedy_place_unknown": 'Nothing is being rebuilt. Put the drive with {member} back, rebuild onto the free drive {drive} with "{path} insert dg={group} array={array} row={row}", or add a hot spare.',
    "remedy_place_gone": 'Nothing is being rebuilt. Replace {member}, or rebuild onto the free drive {drive} with "{path} insert dg={group} array={array} row={row}".',
    "finding_place_superseded": "Drives of drive group {group} are here but belong to a newer configuration: {drives}.",
    "effect_place_superseded": "Drive group {group} cannot start. The state directory is older than its drives, as after a restore from a backup.",
    "remedy_place_superseded": 'Restore the newer state directory while arrayd is stopped. Or delete the virtual drives of drive group {group}, then import what its drives hold with "{path}/fall import".',
    "finding_spares_used_up": "Drive group {group} has no hot spare left: {drive} was one and is a member now.",
    "effect_spares_used_up": "The next drive that fails is not rebuilt automatically.",
    "remedy_spares_used_up": "Add a hot spare.",
    "remedy_spares_used_up_bay": "Put a new drive in bay {bay}, or add a hot spare.",
    "remedy_spares_used_up_start": 'Copy {drive} back to {target} with "{path} start copyback target={target}", or add a hot spare.',
    "remedy_spares_used_up_running": "A copyback to {target} is running. When it is done, {drive} is a hot spare again.",
    "remedy_spares_used_up_paused": 'The copyback to {target} is paused. Continue it with "{path} resume copyback".',
    "finding_cache_failed": "The cache of controller {controller} failed.",
    "effect_cache_failed": "Writes go through to the drives and are slower.",
    "remedy_cache_failed": "Bring its medium back, then restart the agent.",
    "finding_cache_preserved": "Acknowledged writes of {names} are in the cache and wait for their drives.",
    "effect_cache_preserved": "The writes are kept, but they are not on the drives yet.",
    "remedy_cache_preserved": 'Put the missing drives back. Discard the writes only if the drives are lost for good: see "{path} show preservedcache".',
    "remedy_cache_preserved_refused": "Remove the cause: no drive is lost, so do not discard the writes. They reach the drives automatically when these take writes again.",
    "remedy_cache_preserved_unknown": 'Connect the drives of the virtual drive. When it shows in "{path}/fall show", import it: the writes reach its drives then. Discard them only if it is lost for good: see "{path} show preservedcache".',
    "remedy_cache_preserved_changed": 'Check the data of the virtual drive. If they are right, discard the writes: see "{path} show preservedcache".',
    "finding_foreign_configuration": "Controller {controller} has found foreign configurations: {count}.",
    "effect_foreign_configuration": "Their drives are not used until you decide.",
    "finding_foreign_refused": "Controller {controller} has found foreign configurations that cannot be imported: {names}.",
    "remedy_foreign_cache_away": 'If the cache still exists, stop arrayd, name it in the cache section of arrayd.conf together with the line owner = "{owner}";, and start arrayd. Then import with "{path}/fall import". Import without it only if these writes are not needed.',
    "remedy_foreign_deleted": 'Restore it as it was with "{path} restore undo={undo}". An import would take only what these drives hold.',
    "remedy_foreign_is_here": 'Take the drives out, or free them with "{path}/fall delete". The drive group is not touched.',
    "remedy_foreign_here_unusable": "Remove the cause. The agent looks again every few seconds.",
    "remedy_foreign_conflict": 'Take one of the two drives out, with those that were in use together with it, and keep them. Then import the others with "{path}/fall import" and compare the data with a backup. Do not clear any of them before that.',
    "remedy_foreign_here_conflict": 'Take the drives out and keep them until you have compared the data. Clearing them with "{path}/fall delete" gives up what only they hold. The drive group is not touched.',
    "remedy_foreign_needed": 'Use the drive with "{path} set online".',
    "remedy_foreign_copy_needed": 'Put the drive with {member} back. If it is lost and the copy has all that it held, use the copy with "{path} set online".',
    "remedy_foreign_needed_elsewhere": 'Connect the drives to their own controller again, {drive} as {member}. To use them here instead, delete the virtual drives of drive group {group}, then use "{path}/fall import".',
    "remedy_foreign_lacked_elsewhere": 'Connect the drives to their own controller again, {drive} as {member}. Free them with "{path}/fall delete" only if they are to be used for something else.',
    "remedy_foreign_copy_older": "Put the drive with {member} back, or a newer copy of it. Keep this copy until then.",
    "remedy_foreign_member_waits": "Put the other missing drives of the drive group back first.",
    "remedy_foreign_incomplete": 'Connect the missing drives, then use "{path}/fall import". If nobody needs the data, clear them with "{path}/fall delete".',
    "remedy_foreign_duplicate": 'Take one of the two drives out, then use "{path}/fall import".',
    "remedy_foreign_unusable": 'Remove the cause. The agent notices within a minute; then import them with "{path}/fall import". If nobody needs the data, clear them with "{path}/fall delete".',
    "remedy_foreign_refused": 'See "{path}/fall show all". If nobody needs the data, clear them with "{path}/fall delete".',
    "remedy_foreign_configuration": 'See "{path}/fall import preview". Import them with "{path}/fall import". If nobody needs the data, clear them with "{path}/fall delete".',
    "finding_state_record_damaged": "Records in the state directory of controller {controller} were damaged when arrayd started: {files}.",
    "effect_state_record_damaged": "What they held was taken from the drives or begun anew. The event log says what each of them costs.",
    "remedy_state_record_damaged": "Check the settings, or restore the files from a backup while arrayd is stopped. This stays until the next start of arrayd.",
    "finding_state_record_absent": "Records were missing from the state directory of controller {controller} when arrayd started: {files}.",
    "effect_state_record_absent": "Their drive groups are as their drives describe them. If the drives were older copies, what was written after these is lost.",
    "remedy_state_record_absent": "Check the data and the settings. This stays until the next start of arrayd.",
    "finding_battery_missing": "Battery {battery} is missing.",
    "effect_battery_missing": "It does not protect the cache: writes go through to the drives and are slower.",
    "remedy_battery_missing": "Connect the battery, or fit a new one.",
    "finding_battery_failed": "Battery {battery} failed.",
    "effect_battery_failed": "It does not protect the cache: writes go through to the drives and are slower.",
    "remedy_battery_failed": "Replace the battery. Write-back returns when the new one is charged.",
    "finding_battery_not_ready": "Battery {battery} needs attention.",
    "effect_battery_not_ready": "It may not protect the cache until the cause is gone.",
    "remedy_battery_not_ready": "Remove the cause. Write-back then returns automatically.",
    "finding_battery_charging": "Battery {battery} is not fully charged.",
    "effect_battery_charging": "Write-back may wait until it is.",
    "remedy_battery_charging": "Nothing. Charging ends this.",
    "finding_battery_learn": "A learn cycle of battery {battery} is {stage}.",
    "effect_battery_learn": "Write-back is suspended meanwhile, unless the cycle is transparent.",
    "remedy_battery_learn": "Nothing. If the hour does not suit you, choose another.",
    "finding_battery_learn_due": "A learn cycle of battery {battery} is due.",
    "effect_battery_learn_due": "The capacity of the battery is not known exactly any more.",
    "remedy_battery_learn_due": 'Start it with "{path} start learn" when slower writes do not matter.',
    "finding_ups_on_battery": "The host runs on its UPS ({source}).",
    "effect_ups_on_battery": "Writes go through to the drives, and the cache is emptied while the UPS lasts.",
    "remedy_ups_on_battery": "Restore the mains power. The host shuts down when the UPS is nearly empty.",
    "finding_state_unwritable": "The agent cannot save its state.",
    "effect_state_unwritable": "Configuration changes are refused, and what has happened may be forgotten at the next start.",
    "remedy_state_unwritable": "Free space in the state directory, or make it writable.",
    "finding_monitor_silent": "arraywright-monitor is enabled on this host, but it does not run.",
    "effect_monitor_silent": "The host sends no mail and no metrics.",
    "remedy_monitor_silent": 'Look at "systemctl status arraywright-monitor" and start it; disable it if it is not wanted.',
    "finding_findings_omitted": "There are more findings than can be listed. Not listed: {count}.",
    "effect_findings_omitted": "What is not listed raises no alert.",
    "remedy_findings_omitted": "Deal with the findings that are listed.",
    "effect_last_drive": "It survives no further failure: losing {drives} loses its data.",
    "effect_survives_one": "It survives one more drive failure.",
    "effect_last_copy": "It holds the last copy of data of drive group {group}.",
    "remedy_set_online": '{drive} holds the last copy of its data. Check its cable and bay, then bring it back with "{path} set online".',
    "remedy_rebuild_running": "{drive} is being rebuilt. Wait until that is done.",
    "remedy_rebuild_paused": 'The rebuild of {drive} is paused. Continue it with "{path} resume rebuild".',
    "remedy_rebuild_stopped": 'The rebuild of {drive} was stopped. Start it with "{path} start rebuild".',
    "remedy_spare_waits": "A rebuild onto {drive} begins unless the missing drive is back within {seconds} s of its loss.",
    "remedy_drive_later": 'Decide which data are right. If nobody needs those on {drive}, rebuild it with "{path} start rebuild", which overwrites them.',
    "remedy_rebuild_start": 'Rebuild {drive} with "{path} start rebuild", replace it, or add a hot spare.',
    "remedy_rebuild_due": "A rebuild onto {drive} is about to begin.",
    "remedy_auto_rebuild_off": 'Automatic rebuild is off, so hot spare {drive} is not used. Turn it on with "{path} set autorebuild=on".',
    "remedy_spare_store": "Make room in the agent's state directory, or make it writable. The hot spare is then used automatically.",
    "remedy_spare_unsaved": "Let the drives of the drive group take writes again. The hot spare is then tried again automatically.",
    "remedy_spare_again": 'Replace it. If you trust it, take it out with "{path} delete hotsparedrive" and add it again.',
    "state_full": "The state directory is full.",
    "state_failed": "Writing to the state directory failed ({error}).",
    "spare_fault_size": "{drive} is {size} too small for drive group {group}.",
    "spare_fault_blocks": "{drive} has blocks of {own} bytes, and drive group {group} has blocks of {needed} bytes.",
    "spare_fault_media": "{drive} is of the kind {own}, and the members of drive group {group} are of the kind {needed}.",
    "spare_fault_interface": "{drive} has a {own} interface, and the members of drive group {group} have {needed}.",
    "spare_fault_enclosure": "{drive} serves only its own enclosure, and drive group {group} has members in another one.",
    "spare_made_unusable": "Drive {drive} is a hot spare now, but it cannot serve drive group {groups}. {why}",
    "cache_lost_damaged": "Acknowledged writes in the cache medium were damaged: they do not agree with their checksums, and are lost. How many they were is not known.",
    "cache_lost_medium": "The cache medium that held acknowledged writes is gone, and they with it; how many they were is not known.",
    "cache_lost_power": "The power failed without a working battery while acknowledged writes were in the cache; they are lost.",
    "cache_lost_retention": "The power was away longer than the battery could keep the cache; acknowledged writes are lost.",
    "cache_lost_discarded": "The preserved cache was discarded by a user: {bytes} of acknowledged writes are lost.",
    "doubt_none": 'No data of virtual drive "{name}" are in doubt.',
    "doubt_unsaved": 'The drives of virtual drive "{name}" cannot be written now. Repeat the command when they can.',
    "cache_flush_refused": 'The drives of virtual drive "{name}" do not take its cached writes now. See what is preserved with show preservedcache.',
    "cache_flush_partly": "Not flushed, because their drives do not take cached writes now: {names}.",
    "cache_no_preserved": 'There is no preserved cache of "{virtual_drive}".',
    "cache_preserved_blocks": "Preserved cache of {virtual_drive} must be written or discarded first.",
    "dirty_limit_cache": "As much as the cache holds.",
    "dirty_limit_ups": "Half of what the drives can take in before the UPS makes the host stop.",
    "dirty_limit_no_write_back": "Nothing is written back now.",
    "battery_not_emulated": "Battery {battery} is real; faults can be tried only on emulated batteries.",
    "battery_is_persistent": "{battery} is the cache medium itself; it has no learn cycle.",
    "learn_unsupported": "{battery} cannot run a learn cycle.",
    "learn_running": "A learn cycle is running on {battery}.",
    "learn_disabled": "Learn cycles are disabled on {battery}.",
    "learn_date_past": "The date of the next learn cycle must lie in the future.",
    "learn_date_mode": "A date needs the learn mode auto or warn.",
    "stripe_log_not_needed": 'Virtual drive "{virtual_drive}" has no parity, so it needs no stripe log.',
    "stripe_log_journal": "The journal of the cache logs what is being written instead of it, and keeps that without power too.",
    "stripe_log_journal_memory": "The journal of the cache logs what is being written instead of it, in memory that a power failure clears.",
    "stripe_log_begins": "It is being begun on the drives.",
    "stripe_log_no_memory": "There was no memory for it; it is tried again when a setting of its drive group changes, or when the group starts again.",
    "stripe_log_rests": "All drives are in sync. It begins when one is lost, before the next write is acknowledged.",
    "stripe_log_waits": "It has not been begun on the drives: that is done when a setting of its drive group changes, or when the group starts again.",
    "no_counters": "{key} has no counters.",
    "guarantee_journal": "The write hole is closed: parts of rows that were being written at an unclean stop or a power failure are completed from the journal, also with drives missing; whole rows are resynchronized, and a drive lost before that ends may cost what was being written there.",
    "guarantee_journal_agent": "The journal closes the write hole if the agent alone stops; a power failure clears it. If a drive was missing then, its blocks in the regions written last cannot be read until they are written again, data at rest included. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount.",
    "guarantee_stripe_log": "The write hole is closed by the stripe log on the drives: parts of rows that were being written at an unclean stop or a power failure are completed from it, also with drives missing; whole rows are resynchronized, and a drive lost before that ends may cost what was being written there.",
    "guarantee_stripe_log_auto": "While a drive is missing or being rebuilt, the stripe log on the drives closes the write hole. While all are in sync nothing is logged, and an unclean stop costs a short resynchronization. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount.",
    "guarantee_region_map": "An unclean stop resynchronizes the regions written last. If a drive was missing before, its blocks there (1 MiB or more each) cannot be read until written again, data at rest included; stripelog=auto avoids this. If a drive is lost at the stop or before the resynchronization ends, rows being written then may be wrong where it is needed, data at rest included; an event names the amount.",
    "guarantee_mirror": "There is no write hole to close: after an unclean stop the copies of the regions written last are made equal.",
    "drive_unsuitable_mounted": "{device} is mounted on {where}.",
    "drive_unsuitable_held": "{device} is held by {holder}.",
    "drive_unsuitable_claimed": "{device} is claimed by another process.",
    "drive_unsuitable_same": "{device} is the same device or file as {other}.",
    "drive_unsuitable_signature": "{device} carries {signature}.",
    "drive_unsuitable_read_only": "{device} is read-only.",
    "drive_unsuitable_error": "{device} cannot be opened ({error}).",
    "drive_unsuitable_empty": "{device} is empty. If it is a loop device, no file is attached to it.",
    "drive_unsuitable_small": "{device} has {size_bytes}; at least {needed_bytes} are needed.",
    "jbod_emulated": "Drive {drive} is emulated: the host has no device that it could use as it is.",
    "jbod_configured": "Drive {drive} is named in the configuration of the agent, which holds it for itself; only drives found by scanning can be left to the host.",
    "drive_cache_fixed": "The write cache of drive {drive} cannot be switched; only the setting default suits it.",
    "drive_cache_own": "Each drive keeps the setting it came with.",
    "drive_cache_of_group": 'Virtual drive "{virtual_drive}" of the same drive group asks for {state}, and a drive has one cache for all.',
    "drive_cache_given_up": "Drive {drive} did not follow when its write cache was to be switched.",
    "drive_cache_waits": "Drive {drive} has not been switched yet.",
    "drive_cache_silent": "Drive {drive} does not say how its write cache is set.",
    "drive_cache_no_drives": "None of its drives is here to be asked.",
    "io_policy_no_cache": "There is no cache to keep what is read, so reads go to the drives.",
    "hedged_reads_no_redundancy": "It has no redundancy, so there is no other way to what a slow drive has.",
    "hedged_reads_degraded": "So many drives are missing that there is no second way to any of its data.",
    "degraded_policy_no_redundancy": "It has no redundancy, so it is never degraded: it works, or it is offline.",
    "access_offline": "It is offline: too few of its drives are here to read or write anything.",
    "access_not_started": "Its drive group is not running.",
    "access_measured": "It is being measured, and nobody else may use it meanwhile.",
    "preset_unknown": "{model} has no preset {preset}. It has: {presets}.",
    "preset_gives_up": "The preset {preset} gives up protection: {what}. Repeat with the risk accepted (acceptrisk).",
    "risk_write_back_now": "Write-back would run without a working battery: a power failure loses writes that were acknowledged.",
    "risk_write_back_later": "Write-back would go on while the battery is not ready: a power failure then loses writes that were acknowledged.",
    "risk_drive_cache": "The drives' own caches would hold what is written until it is flushed: a power failure loses what no flush has covered.",
    "drive_path_deleted": "The file of the drive was deleted.",
    "drive_path_other": "{device} is another file or device now.",
    "drive_path_gone": "{device} does not exist any more.",
    "drive_lost_pulled": "The drive was removed.",
    "drive_lost_away": "The drive was away and may have missed writes.",
    "drive_lost_write_error": "A write to the drive failed.",
    "drive_lost_read_errors": "The drive could not repair its read errors.",
    "task_group_offline": "The drive group went offline.",
    "drive_lost_timeout": "The drive did not answer in time.",
    "drive_lost_no_space": "There is no space left below the drive, so it missed writes. Make room.",
    "drive_lost_read_only": "The drive became read-only, so it missed writes. Make it writable.",
    "writes_refused": "The drives refuse writes: there is no space left below them, or they became read-only.",
    "drive_no_space": "There is no space left below the drive: writes to it fail. Its data stay readable. Make room.",
    "drive_read_only": "The drive became read-only: writes to it fail. Its data stay readable.",
    "drive_lost_blocks_full": "The drive has so many lost blocks that no more can be noted for its drive group, so it is no longer used. Replace it.",
    "drive_lost_flush": "The drive failed to flush its cache.",
    "drive_predicted_errors": "{errors} errors within the error window.",
    "smart_failing": "The drive says itself that it will fail.",
    "smart_missing": "smartctl cannot be started: {detail}.",
    "smart_unreadable": "Its health could not be read: {detail}.",
    "smart_output": "What smartctl said of it cannot be believed: {detail}.",
    "smart_disabled": "Its self-monitoring is switched off.",
    "smart_unsupported": "It tells nothing of its health: {detail}.",
    "drive_lost_error_limit": "The drive had more errors than are borne.",
    "drive_lost_flapping": "The drive vanished and came back too often: look at its cable and its slot before you rebuild it.",
    "drive_lost_absent": "The drive was absent when the controller started.",
    "drive_lost_stale": "The drive missed writes while it was away.",
    "drive_grown": "The device has {size_bytes} now. It was recognized by its label where the old size had it, and {used_bytes} of it are used as before.",
    "drive_shrunk": "The device is {missing} smaller than when it was taken into use: {size} instead of {used} bytes. Nothing on it is changed. Give it its former size back.",
    "drive_lost_overwritten": "Another program wrote to the drive, so its data are not trusted. Look at what is on it.",
    "drive_overwritten_used": "Another program wrote to the drive. Without it the drive group would be offline, so it is used all the same. Its data may be wrong: compare them with a backup.",
    "drive_lost_user": "The drive was taken offline by a user.",
    "label_unreadable": "The label of drive {drive} could not be read.",
    "label_damaged": "The drive carries a damaged label.",
    "label_newer": "The label of drive {drive} was written by a later version of Arraywright: update this agent. Nothing is changed on it.",
    "label_other_controller": "The drive belongs to another controller ({controller}).",
    "label_unknown_group": "The drive was a member of a drive group that is not known here.",
    "foreign_cache_away": 'Acknowledged writes of "{name}" may be in a cache of controller {owner} that is not here. An import without that cache loses them.',
    "foreign_deleted": '"{name}" was deleted here, and can be restored as it was with "{path} restore undo={undo}".',
    "foreign_degraded": "Not all of its drives are there and in sync.",
    "foreign_incomplete": "Too many of its drives are missing, failed or out of date.",
    "foreign_unsupported": "It cannot be run here: {problem}",
    "foreign_damaged": "Its metadata cannot be believed: {problem}",
    "foreign_duplicate": "Drive {drive} says that it is a drive which another one is as well; one of the two is a copy. Take one of them out.",
    "foreign_is_here": "These are old or copied members of drive group {group}, which is in use here. Take them out, or clear them.",
    "foreign_conflict": "Drives {drive} and {other} are in conflict: each was in use without the other. Each may hold data that the other does not have.",
    "foreign_here_conflict": "Drive {drive} is in conflict with drive group {group}, which is in use here: it was in use without the drives that work now, and may hold data that the group does not have.",
    "foreign_needed": 'Drive {drive} is the drive with {member} that drive group {group} needs, but the agent\'s records do not name it. Use it with "{path} set online".',
    "foreign_copy_needed": 'Drive {drive} is a copy of the drive with {member}, without which drive group {group} is offline. It may be older. Use it with "{path} set online", if the drive itself is lost.',
    "foreign_needed_elsewhere": "Drive {drive} belongs to drive group {group} of another controller of this host, which is offline without it. It is neither imported nor cleared here. Connect it to {other} again, or delete the virtual drives there and then import it here.",
    "foreign_lacked_elsewhere": "Drive {drive} belongs to drive group {group} of another controller of this host, which does without it. Connect it to {other} again.",
    "foreign_copy_older": "Drive {drive} is a copy of the drive with {member}, without which drive group {group} is offline. The drive group was at work after the copy was made, so the copy may have missed writes. It is not used.",
    "foreign_member": 'Drive {drive} is a lost member of drive group {group}. It was away and may have missed writes. Rebuild onto it with "{path} insert dg={group} array={array} row={row} force".',
    "foreign_member_later": 'Drive {drive} is a lost member of drive group {group}. It was in use without the drives that work now and may hold newer data. If nobody needs those, overwrite them with "{path} insert dg={group} array={array} row={row} force".',
    "foreign_member_waits": "Drive {drive} is a lost member of drive group {group}. It was away and may have missed writes. The drive group is offline without its other drives.",
    "foreign_here_unusable": "Drive {drive} is a member of drive group {group}, or a copy of one. It cannot be used: {why}",
    "foreign_no_room": "Its virtual drives reach so far on drive {drive} that there is no room for what is kept behind them.",
    "foreign_changed": "What is on the drives has changed since they were last looked at. Nothing was changed. Look at them again, then repeat the command.",
    "foreign_md_left": "The set is drive group {group} here since it was imported; this superblock was left when that drive was away, or is a copy, and Linux would still find the old set by it. Clear it: the group, and what is on the drive otherwise, are not touched.",
    "foreign_md_becomes": "Its data stay where they are. The md superblocks are taken off and DDF metadata are written behind the data: Linux assembles it by those from then on, not as an md array of version 1.2 any more, and undo does not bring that back.",
    "foreign_md_marked": "Drive {drive} has metadata of Arraywright or DDF beside md's: which of them count is not for us to say. Take off the one that does not (wipefs lists both).",
    "foreign_md_not_whole": "Not all of its drives are there and in sync: let Linux complete it first, or, if nobody needs it any more, clear it.",
    "foreign_md_busy": "Linux has not finished {what} of it: let it run there until /proc/mdstat shows nothing more.",
    "foreign_md_extra": "It has {what}, which is not understood here: {remedy}.",
    "foreign_md_layout": "{level} cannot be run here with its data where they are: copy them to a new virtual drive.",
    "foreign_md_offset": "Its data begin at sector {sector} of drive {drive}; here they begin at the same multiple of 1 MiB on all drives: copy them to a new virtual drive.",
    "foreign_md_no_room": "Drive {drive} has {free_kib} KiB free behind its data, and {needed_kib} KiB are needed there: shrink what is on the set so that it fits, then mdadm --grow --size={size_kib}.",
    "foreign_md_no_room_ever": "Drive {drive} has {free_kib} KiB free behind its data, {needed_kib} KiB are needed there, and the set cannot be made smaller: copy its data to a new virtual drive.",
    "label_duplicate": "Drive {drive} carries the same label; one of the two is a copy.",
    "label_later": "The drive was in use without the drives that work now, and may hold newer data. It is rebuilt on request only, which overwrites what it holds.",
    "label_apart": "The drive was in use without the drives that work now, and may hold data that its drive group does not have.",
    "label_replaced": "The drive's place in its drive group was taken by another drive.",
    "drive_too_small_for_group": "Drive {drive} is {missing_bytes} too small for the place in {group}: it has {size_bytes} usable, and {needed_bytes} are needed.",
    "no_vacant_place": "Drive group {group} has no missing or failed member to replace.",
    "no_unconfigured_drives": "There is no unconfigured good drive.",
    "no_redundancy": "{key} has no redundancy; this does not apply to it.",
    "already_consistent": 'Virtual drive "{name}" is already consistent.',
    "waits_for_rebuild": "It continues when the missing members are rebuilt.",
    "no_locate_led": "Drive {drive} has no locate LED that this host can switch.",
    "nothing_to_change": "The command names nothing to change.",
    "group_not_started": "Drive group {group} is not complete; its drives are awaited.",
    "group_changed_elsewhere": "Drive group {group} is not started, because another system has written to its drives: {why}.",
    "stopped_by_user": "It was stopped by a user.",
    "drive_being_erased": "It is being erased.",
    "drive_partly_erased": "It is erased in part, {percent} %: erase it again, or make it good.",
    "drive_erasing": "Drive {drive} is being erased.",
    "not_erasing": "Drive {drive} is not being erased.",
    "erase_foreign": "Drive {drive} carries a configuration of somebody else. Erasing destroys it; repeat with force.",
    "erase_has_data": "Drive {drive} carries {signature}. Erasing destroys it; repeat with force.",
    "erase_write_failed": "The drive could not be written everywhere.",
    "erase_read_failed": "The drive could not be read back everywhere.",
    "erase_verify_failed": "What was read back is not what was written.",
    "erase_overwritten": "The drive holds other data than the erase has written; it is left as it is.",
    "erase_interrupted": "It had just begun, and it is not known how far it got; it has to be started again.",
    "no_space_below": "There is no space left below the drive. Make room.",
    "now_read_only": "The drive became read-only.",
    "erase_tried_again": "Its erase waits and goes on automatically. {why}",
    "patrol_disabled": "Patrol read is disabled on this controller. Set its mode to manual or auto first.",
    "patrol_no_drives": "There is nothing to patrol: no hard disk is a member of a drive group or a hot spare.",
    "patrol_skips_ssd": "It is an SSD, and SSDs are not patrolled by default: their own controllers look after their flash. Patrol of SSDs can be switched on.",
    "patrol_skips_unused": "Only members of drive groups and hot spares are patrolled.",
    "patrol_waits": "Waits until the drive groups of what is left are optimal and nothing else works on them.",
    "patrol_read_failed": "The drive did not answer a read.",
    "check_waits": "Waits until the drive group is there again, with redundancy to compare, and no rebuild, copyback or initialization is left to do in it.",
    "check_needs_redundancy": 'Virtual drive "{name}" is missing a drive. The other drives hold its data only once, so there is nothing to compare. Check it after the rebuild.',
    "check_needs_consistency": 'Virtual drive "{name}" is not fully initialized or resynchronized. Only consistent data can be checked.',
    "too_many_erases": "As many drives are being erased, or erased in part, as can be remembered.",
    "drive_spun_down": "Drive {drive} is spun down; spin it up first.",
    "drive_spun_up": "Drive {drive} is not spun down.",
    "spin_unsupported": "Drive {drive} has no motor that this host can stop.",
    "spin_failed": "Drive {drive} did not spin down or up ({error}).",
    "replace_unsaved": "The drives of drive group {group} did not take the change ({error}).",
    "replace_failed": "Drive {drive} could not take the place in {group}. {why}",
    "report_unreadable": "What the host reported cannot be understood.",
    "command_unanswered": "The host has not said what became of the command; it is not sent again.",
    "warning_no_redundancy": "There is no redundancy: the loss of one drive loses the virtual drive.",
    "warning_no_spare": "No hot spare would serve this drive group.",
    "warning_sizes_differ": "The drives differ in size; {wasted_bytes} stay unused.",
    "warning_models_differ": "The drives are of different models; the slowest sets the pace.",
    "warning_drive_errors": "Drive {drive} has reported {count} errors.",
    "warning_data_destroyed": "What drive {drive} carries ({signature}) will be destroyed.",
}

FINDING_TITLES: dict[str, str] = {
    "virtual_drive_offline": "Virtual drive offline",
    "virtual_drive_degraded": "Virtual drive degraded",
    "virtual_drive_partially_degraded": "Virtual drive partially degraded",
    "virtual_drive_lost_blocks": "Lost blocks",
    "virtual_drive_lost_parity": "Lost parity",
    "writes_lost": "Acknowledged writes lost",
    "data_suspect": "Data in doubt",
    "redundancy_inconsistent": "Redundancy and data disagree",
    "write_policy_lowered": "Write policy lowered",
    "write_policy_waits": "Write policy lowered for now",
    "write_back_unprotected": "Write-back without protection",
    "stripe_incomplete": "Stripe incomplete",
    "drive_failed": "Drive failed",
    "drive_missing": "Drive missing",
    "drive_removed": "Drive removed",
    "drive_offline": "Drive offline",
    "drive_out_of_date": "Drive out of date",
    "drive_unconfigured_bad": "Drive unconfigured bad",
    "drive_shrunk": "Drive has become smaller",
    "drive_unclaimed": "Drive cannot be claimed",
    "drive_named_twice": "Drive configured twice",
    "drive_predictive_failure": "Drive predicts a failure",
    "drive_media_errors": "Media errors",
    "drive_slow": "Drive slow",
    "drive_refuses_writes": "Drive refuses writes",
    "drive_path_lost": "Drive's file deleted or renamed",
    "drive_cache_refused": "Drive cache not as requested",
    "drive_foreign": "Drive with a foreign label",
    "drive_overwritten": "Drive overwritten by another program",
    "rebuild_failed": "Rebuild failed",
    "erase_waits": "Erase waits",
    "spare_missing": "Hot spare missing",
    "spare_overwritten": "Hot spare overwritten by another program",
    "spare_unusable": "Hot spare cannot serve",
    "place_empty": "Drive group incomplete",
    "place_superseded": "Newer configuration on the drives",
    "spares_used_up": "No hot spare left",
    "cache_failed": "Cache failed",
    "cache_preserved": "Preserved cache",
    "foreign_configuration": "Foreign configuration",
    "configured_drive_missing": "Configured drive does not exist",
    "state_record_damaged": "Damaged state record",
    "battery_missing": "Battery missing",
    "battery_failed": "Battery failed",
    "battery_not_ready": "Battery not ready",
    "battery_charging": "Battery charging",
    "battery_learn": "Learn cycle",
    "battery_learn_due": "Learn cycle due",
    "ups_on_battery": "Host on UPS power",
    "state_unwritable": "State directory not writable",
    "monitor_silent": "Monitor does not run",
    "findings_omitted": "More findings",
}

EVENT_NAMES: dict[int, str] = {
    42: "controller_shutdown",
    40: "rebuild_rate_changed",
    9: "bgi_rate_changed",
    60000: "controller_online",
    91: "drive_inserted",
    112: "drive_removed",
    114: "drive_state_changed",
    87: "drive_error",
    267: "drive_timeout",
    96: "drive_predictive_failure",
    60240: "drive_smart_good",
    60140: "drive_slow_command",
    60141: "drive_slow",
    60142: "drive_slow_over",
    60143: "drive_error_limit",
    60145: "drive_set_online",
    93: "medium_error_corrected",
    111: "medium_error_uncorrectable",
    97: "block_punctured",
    60144: "bad_block_over",
    257: "drive_missing_at_start",
    60210: "drive_stale",
    60212: "drive_overwritten",
    60213: "drive_overwritten_used",
    60214: "drive_grown",
    60215: "drive_shrunk",
    60060: "drive_group_was_elsewhere",
    60061: "drive_group_changed_elsewhere",
    218: "foreign_found",
    219: "foreign_imported",
    220: "foreign_cleared",
    238: "drives_missing",
    60010: "drive_label_mismatch",
    60011: "fault_injected",
    60080: "drive_claim_delayed",
    60081: "drive_cache_switched",
    60082: "drive_cache_failed",
    60083: "drive_made_jbod",
    81: "virtual_drive_state_changed",
    249: "virtual_drive_optimal",
    250: "virtual_drive_partially_degraded",
    251: "virtual_drive_degraded",
    252: "virtual_drive_offline",
    138: "virtual_drive_created",
    139: "virtual_drive_deleted",
    140: "virtual_drive_inconsistent",
    54: "virtual_drive_policy_changed",
    60241: "virtual_drive_expanded",
    53: "bgi_started",
    48: "bgi_completed",
    51: "bgi_failed",
    70: "init_started",
    72: "init_completed",
    68: "init_failed",
    60090: "virtual_drive_suspect",
    60091: "virtual_drive_doubted",
    60092: "virtual_drive_rewritten",
    60093: "virtual_drive_trusted",
    60180: "stripe_created",
    60181: "stripe_deleted",
    60190: "measurement_started",
    60191: "measurement_ended",
    60182: "stripe_state_changed",
    60020: "resync_started",
    60021: "resync_completed",
    60022: "resync_failed",
    106: "rebuild_started_auto",
    105: "rebuild_started_user",
    104: "rebuild_resumed",
    60023: "rebuild_paused",
    98: "rebuild_aborted",
    100: "rebuild_completed",
    101: "rebuild_failed_source",
    102: "rebuild_failed_target",
    132: "spare_dedicated_made",
    133: "spare_dedicated_removed",
    135: "spare_global_made",
    136: "spare_global_removed",
    60160: "spare_commissioned",
    60161: "controller_policy_changed",
    276: "copyback_started_user",
    281: "copyback_started_auto",
    280: "copyback_resumed",
    60162: "copyback_paused",
    277: "copyback_aborted",
    278: "copyback_completed",
    282: "copyback_failed",
    60163: "spare_returned",
    60012: "spare_failed",
    60013: "drive_made_good",
    60024: "bgi_paused",
    60025: "bgi_resumed",
    60026: "bgi_stopped",
    60027: "auto_rebuild_changed",
    60028: "locate_changed",
    60220: "drive_set_missing",
    60221: "locate_ended",
    60222: "erase_started",
    60223: "erase_resumed",
    60224: "erase_stopped",
    60225: "erase_completed",
    60226: "erase_failed",
    60242: "erase_waits",
    60227: "drive_spun_down",
    60228: "drive_spun_up",
    193: "spare_too_small",
    141: "battery_present",
    142: "battery_absent",
    161: "battery_removed",
    145: "battery_temperature_high",
    149: "battery_temperature_normal",
    146: "battery_voltage_low",
    147: "battery_charging",
    148: "battery_discharging",
    242: "battery_charged",
    162: "battery_capacity_low",
    163: "battery_capacity_ok",
    150: "battery_replace",
    200: "battery_failed",
    60030: "battery_state_changed",
    60031: "battery_fault_injected",
    151: "learn_started",
    153: "learn_completed",
    60032: "learn_failed",
    154: "learn_timed_out",
    155: "learn_pending",
    156: "learn_postponed",
    157: "learn_in_4_days",
    158: "learn_in_2_days",
    159: "learn_in_1_day",
    160: "learn_in_5_hours",
    253: "learn_needed",
    307: "learn_due_disabled",
    60033: "learn_settings_changed",
    194: "write_back_restored",
    195: "write_back_lowered",
    60034: "write_back_forced",
    60035: "ups_on_battery",
    60036: "ups_on_mains",
    60037: "ups_silent",
    60038: "ups_back",
    12: "cache_recovered",
    10: "cache_lost",
    237: "cache_discarded",
    60040: "cache_preserved",
    60041: "cache_preserved_written",
    60042: "cache_state_changed",
    60043: "cache_medium_refused",
    37: "patrol_rate_changed",
    39: "patrol_started",
    36: "patrol_paused",
    38: "patrol_resumed",
    35: "patrol_completed",
    60260: "patrol_stopped",
    229: "patrol_no_drives",
    95: "patrol_uncorrectable",
    60261: "patrol_drive_failed",
    60262: "patrol_schedule_changed",
    66: "check_started",
    60270: "check_paused",
    60271: "check_resumed",
    56: "check_aborted",
    57: "check_corrected",
    58: "check_completed",
    59: "check_completed_found",
    60272: "check_completed_left_out",
    61: "check_failed",
    62: "check_completed_uncorrectable",
    63: "check_inconsistent",
    64: "check_logging_suppressed",
    60200: "virtual_drive_restored",
    60211: "md_super_left",
    60250: "md_super_taken_off",
    60201: "foreign_restored",
    60230: "undo_damaged",
    60232: "drive_numbers_lost",
    60239: "state_record_damaged",
    60243: "drive_left",
    60231: "drive_flapping",
    60044: "counters_reset",
    64000: "events_lost",
    64001: "report_unreadable",
}

DOCUMENTS: dict[str, type[Wire]] = {
    "host": HostDoc,
    "controller": ControllerDoc,
    "enclosure": EnclosureDoc,
    "drive": DriveDoc,
    "drive_group": DriveGroupDoc,
    "virtual_drive": VirtualDriveDoc,
    "battery": BatteryDoc,
    "operation": OperationDoc,
}

COMMAND_CLASSES: dict[str, str] = {
    "vd_create": "O",
    "vd_delete": "X",
    "vd_init": "X",
    "stripe_create": "D",
    "stripe_delete": "X",
    "vd_set": "O",
    "vd_expand": "D",
    "vd_measure": "O",
    "controller_set": "O",
    "spare_add": "O",
    "spare_remove": "D",
    "rebuild": "O",
    "copyback": "O",
    "bgi": "O",
    "consistency_check": "O",
    "patrol_read": "O",
    "drive_replace": "O",
    "drive_offline": "D",
    "drive_online": "D",
    "drive_missing": "D",
    "drive_jbod": "O",
    "drive_good": "X",
    "drive_erase": "X",
    "drive_spindown": "O",
    "drive_spinup": "O",
    "drive_locate": "O",
    "fault_inject": "D",
    "battery_learn": "O",
    "battery_set": "O",
    "battery_fault": "D",
    "cache_discard": "X",
    "cache_flush": "O",
    "doubt_clear": "D",
    "foreign_import": "D",
    "foreign_clear": "X",
    "undo_restore": "D",
    "counters_reset": "O",
    "preview_vd_create": "R",
    "preview_vd_set": "R",
    "latency": "R",
    "bad_blocks": "R",
    "foreign": "R",
    "undo": "R",
}

COMMAND_ARGUMENTS: dict[str, type[Wire]] = {
    "vd_create": VdCreateArgs,
    "vd_delete": VdDeleteArgs,
    "vd_init": VdInitArgs,
    "stripe_create": StripeCreateArgs,
    "stripe_delete": StripeDeleteArgs,
    "vd_set": VdSetArgs,
    "vd_expand": VdExpandArgs,
    "vd_measure": VdMeasureArgs,
    "controller_set": ControllerSetArgs,
    "spare_add": SpareAddArgs,
    "spare_remove": SpareRemoveArgs,
    "rebuild": RebuildArgs,
    "copyback": CopybackArgs,
    "bgi": BgiArgs,
    "consistency_check": ConsistencyCheckArgs,
    "patrol_read": PatrolReadArgs,
    "drive_replace": DriveReplaceArgs,
    "drive_offline": DriveOfflineArgs,
    "drive_online": DriveOnlineArgs,
    "drive_missing": DriveMissingArgs,
    "drive_jbod": DriveJbodArgs,
    "drive_good": DriveGoodArgs,
    "drive_erase": DriveEraseArgs,
    "drive_spindown": DriveSpindownArgs,
    "drive_spinup": DriveSpinupArgs,
    "drive_locate": DriveLocateArgs,
    "fault_inject": FaultInjectArgs,
    "battery_learn": BatteryLearnArgs,
    "battery_set": BatterySetArgs,
    "battery_fault": BatteryFaultArgs,
    "cache_discard": CacheDiscardArgs,
    "cache_flush": CacheFlushArgs,
    "doubt_clear": DoubtClearArgs,
    "foreign_import": ForeignImportArgs,
    "foreign_clear": ForeignClearArgs,
    "undo_restore": UndoRestoreArgs,
    "counters_reset": CountersResetArgs,
    "preview_vd_create": PreviewVdCreateArgs,
    "preview_vd_set": PreviewVdSetArgs,
    "latency": LatencyArgs,
    "bad_blocks": BadBlocksArgs,
    "foreign": ForeignArgs,
    "undo": UndoArgs,
}

FRAMES: dict[str, type[Wire]] = {
    "challenge": ChallengeFrame,
    "hello": HelloFrame,
    "welcome": WelcomeFrame,
    "state": StateFrame,
    "event": EventFrame,
    "heartbeat": HeartbeatFrame,
    "ack": AckFrame,
    "nack": NackFrame,
    "command": CommandFrame,
    "cmd_ack": CmdAckFrame,
    "progress": ProgressFrame,
    "result": ResultFrame,
    "query": QueryFrame,
    "answer": AnswerFrame,
    "goaway": GoawayFrame,
}
