"""Bodies of the requests that change storage; each becomes one command."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    BeforeValidator,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from arraywright.kit.schema import ApiInput, ApiModel, AwareInstant, OpenWord, Reason
from arraywright.link.protocol import (
    INTEGER_MAX,
    SEQUENCE_MAX,
    AccessPolicy,
    BatteryFault,
    Coercion,
    DegradedPolicy,
    DriveCachePolicy,
    EraseMode,
    FaultKind,
    IoPolicy,
    LearnMode,
    LoadPattern,
    PatrolMode,
    RaidLevel,
    ReadPolicy,
    Size,
    StripeLogMode,
    TaskAction,
    WritePolicy,
)
from arraywright.storage.schemas import PoliciesPreview

Name = Annotated[str, StringConstraints(max_length=15)]
Serial = Annotated[str, StringConstraints(max_length=128)]
KEY = r"^[A-Za-z0-9._:-]{1,64}$"
Preset = Annotated[
    str,
    StringConstraints(max_length=32),
    Field(description="of the controller's presets: sets the policies that are not given here"),
]
AcceptRisk = Annotated[
    bool,
    Field(description="what the preset gives up is accepted; without it such a one is refused"),
]
WhileDegraded = Annotated[
    DegradedPolicy,
    Field(description="write_through: it does not write back while redundancy is missing"),
]
Bytes = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
ALL = "all"


def _size(value: Any) -> Any:
    """Nothing, zero and an empty text are mistakes: none of them means all there is."""
    if value == ALL or (type(value) is int and 1 <= value <= INTEGER_MAX):
        return value
    raise ValueError(f'must be a number of bytes, at least 1, or "{ALL}" for all there is')


SizeWish = Annotated[
    int | Literal["all"],
    BeforeValidator(_size),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX},
                {"type": "string", "const": ALL},
            ]
        }
    ),
]


class Change(ApiInput):
    """A change of settings: at least one."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("name at least one setting to change")
        return self


class VirtualDrivePreview(ApiInput):
    """A wish: on these unconfigured good drives, or in the free space of a drive group."""

    controller_id: UUID
    level: RaidLevel
    drive_ids: Annotated[
        list[UUID],
        Field(max_length=256, description="in member order, span by span; empty with a group"),
    ] = []
    drive_group_id: UUID | None = None
    drives_per_span: Annotated[int, Field(ge=0, le=256)] | None = None
    size_bytes: Annotated[SizeWish, Field(description='"all": all there is')]
    strip_bytes: Bytes | None = None
    name: Name | None = None
    write_policy: WritePolicy | None = None
    read_policy: ReadPolicy | None = None
    io_policy: IoPolicy | None = None
    drive_cache_policy: DriveCachePolicy | None = None
    degraded_policy: WhileDegraded | None = None
    preset: Preset | None = None
    spare_ids: Annotated[
        list[UUID], Field(max_length=256, description="to become dedicated hot spares")
    ] = []
    force: Annotated[bool, Field(description="use drives that carry data, see serials")] = False
    serials: Annotated[
        list[Serial],
        Field(max_length=256, description="of drives whose data may be overwritten"),
    ] = []


class VirtualDriveCreate(VirtualDrivePreview):
    plan_digest: Annotated[
        str | None,
        Field(
            max_length=64,
            description="from the preview; the host refuses if the plan has changed since",
        ),
    ] = None
    accept_risk: AcceptRisk | None = None


class Wasted(ApiModel):
    drive_id: UUID
    bytes: int


class PreviewResult(ApiModel):
    """The host's own plan for a wish; nothing has been changed."""

    ok: bool
    refusals: list[Reason]
    warnings: list[Reason]
    plan_digest: str
    level: OpenWord[RaidLevel]
    size_bytes: int
    raw_bytes: int
    wasted_bytes: int
    wasted: list[Wasted]
    drive_failures_tolerated: int
    tolerance: Annotated[str, Field(description="sentence: what may fail")]
    span_count: int
    drives_per_span: int
    strip_bytes: int
    row_bytes: int
    block_bytes: int
    init_seconds: Annotated[
        int | None, Field(description="estimated duration of the background initialization")
    ]
    policies: Annotated[
        PoliciesPreview | None,
        Field(description="what they would become; null: not known"),
    ] = None
    risks: Annotated[
        list[Reason],
        Field(description="what they give up; of a preset it has to be accepted"),
    ] = []
    cli: Annotated[str, Field(description="the same as a command line on the host")]


class VirtualDriveUpdate(Change):
    name: Name | None = None
    write_policy: WritePolicy | None = None
    read_policy: ReadPolicy | None = None
    io_policy: IoPolicy | None = None
    drive_cache_policy: DriveCachePolicy | None = None
    degraded_policy: WhileDegraded | None = None
    preset: Preset | None = None
    accept_risk: AcceptRisk | None = None
    access: AccessPolicy | None = None
    stripe_log: Annotated[
        bool | None,
        Field(description="for hosts that know no mode: log rows on the drives first, or do not"),
    ] = None
    stripe_log_mode: Annotated[
        StripeLogMode | None,
        Field(
            description="log rows on the drives first, which closes the write hole: auto, while a "
            "drive is not in sync (parity levels); on, always; off, never"
        ),
    ] = None
    hedged_reads: Annotated[
        bool | None,
        Field(description="answer slow reads from another copy or from parity"),
    ] = None


class PolicyPreview(Change):
    """A question about policies: those that are not given stay."""

    write_policy: WritePolicy | None = None
    read_policy: ReadPolicy | None = None
    io_policy: IoPolicy | None = None
    drive_cache_policy: DriveCachePolicy | None = None
    degraded_policy: WhileDegraded | None = None
    preset: Preset | None = None


class PolicyPreviewResult(ApiModel):
    """The host's own answer; nothing has been changed."""

    ok: bool
    refusals: list[Reason]
    policies: PoliciesPreview
    risks: Annotated[
        list[Reason],
        Field(description="given up then and not now; of a preset it has to be accepted"),
    ]
    cli: Annotated[str, Field(description="the same as a command line on the host")]


class VirtualDriveDelete(ApiInput):
    confirm: Annotated[str, Field(max_length=64, description="its name, typed")]
    force: Annotated[bool, Field(description="also if it has open connections")] = False


class VirtualDriveInitialize(ApiInput):
    confirm: Annotated[str, Field(max_length=64, description="its name, typed")]
    unless_content: Annotated[
        bool, Field(description="refuse if something is recognized on it")
    ] = False


class VirtualDriveExpand(ApiInput):
    size_bytes: Annotated[
        SizeWish,
        Field(
            description="what it is to have, more than now, rounded down to whole rows; "
            '"all": as much as there is free space directly behind it'
        ),
    ]


class StripeCreate(ApiInput):
    """A stripe (RAID 0) over this virtual drive and others of the same host."""

    virtual_drive_ids: Annotated[
        list[UUID],
        Field(min_length=1, max_length=7, description="the other members, in their order"),
    ]
    name: Name
    strip_bytes: Annotated[
        Bytes | None, Field(description="a power of two from 8 KiB to 1 MiB; absent: 64 KiB")
    ] = None
    force: Annotated[
        bool,
        Field(description="also over data, or over members of a stripe that is incomplete"),
    ] = False
    confirm: Annotated[
        str | None,
        Field(max_length=64, description="with force: this virtual drive's name, typed"),
    ] = None


class StripeDelete(ApiInput):
    confirm: Annotated[str, Field(max_length=64, description="the stripe's name, typed")]
    force: Annotated[
        bool,
        Field(description="also if it has open connections, or if members cannot be reached"),
    ] = False


class LoadBlock(ApiInput):
    bytes: Annotated[int, Field(ge=512, le=8 * 1024 * 1024, multiple_of=512)]
    percent: Annotated[int, Field(ge=1, le=100, description="of the requests")]


class Load(ApiInput):
    """Requests that follow one another, so many always under way."""

    pattern: LoadPattern
    blocks: Annotated[
        list[LoadBlock],
        Field(min_length=1, max_length=16, description="their percents make 100"),
    ]
    write_percent: Annotated[int, Field(ge=0, le=100)] = 0
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    depth: Annotated[int, Field(ge=1, le=1024, description="of each worker")] = 1
    zone_bytes: Annotated[
        Bytes, Field(description="only the first so many, a volume of files; 0: all")
    ] = 0
    start_bytes: Annotated[Bytes, Field(description="sequential: begins there")] = 0
    file_bytes: Annotated[Bytes, Field(description="files: of each; a multiple of 4096")] = 0

    @property
    def overwrites(self) -> bool:
        if self.pattern in (LoadPattern.RANDOM, LoadPattern.SEQUENTIAL):
            return self.write_percent > 0
        return self.pattern is not LoadPattern.FILES_READ


class MeasureAction(StrEnum):
    START = "start"
    STOP = "stop"


class Measure(ApiInput):
    """A measurement to be started, or the one that runs to be stopped."""

    action: MeasureAction
    seconds: Annotated[
        int | None, Field(ge=1, le=600, description="how long each load runs; to start")
    ] = None
    loads: Annotated[
        list[Load] | None,
        Field(min_length=1, max_length=8, description="one after the other; to start"),
    ] = None
    confirm: Annotated[
        str | None,
        Field(max_length=64, description="its name, typed; needed if a load writes"),
    ] = None

    @property
    def overwrites(self) -> bool:
        return any(load.overwrites for load in self.loads or [])

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.action is MeasureAction.START and (self.seconds is None or self.loads is None):
            raise ValueError("seconds and loads are needed to start")
        return self


class ControllerUpdate(Change):
    rebuild_rate_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    bgi_rate_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    glitch_seconds: Annotated[
        Annotated[int, Field(ge=0, le=300)] | None,
        Field(description="no hot spare takes the place of a drive that vanished so long"),
    ] = None
    coercion: Annotated[
        Coercion | None,
        Field(description="new drive groups take whole steps of this size of each drive"),
    ] = None
    patrol_mode: Annotated[
        PatrolMode | None,
        Field(description="auto: each patrol_delay_hours; manual: by command only"),
    ] = None
    patrol_rate_percent: Annotated[
        Annotated[int, Field(ge=0, le=100)] | None,
        Field(description="of a drive's time while others want it"),
    ] = None
    patrol_delay_hours: Annotated[
        Annotated[int, Field(ge=0, le=8760)] | None,
        Field(description="from the end of one patrol to the beginning of the next; 0: no rest"),
    ] = None
    patrol_ssds: Annotated[bool | None, Field(description="SSDs are patrolled too")] = None
    patrol_drives_max: Annotated[
        Annotated[int, Field(ge=1, le=255)] | None,
        Field(description="drives that are patrolled at the same time"),
    ] = None
    patrol_next_at: Annotated[
        AwareInstant | None,
        Field(description="when it begins by itself, once; then after each patrol_delay_hours"),
    ] = None
    auto_rebuild: bool | None = None
    emergency_spare: Annotated[
        bool | None,
        Field(description="in an emergency, a hot spare of another kind may stand in"),
    ] = None
    emergency_unconfigured: Annotated[
        bool | None,
        Field(description="in an emergency, an unconfigured good drive may stand in"),
    ] = None
    copyback: Annotated[
        bool | None,
        Field(description="fill the drive in a replaced slot from the hot spare by itself"),
    ] = None
    predictive_copyback: Annotated[
        bool | None,
        Field(description="fill a hot spare from a member that will probably fail by itself"),
    ] = None
    mixed_media: Annotated[
        bool | None, Field(description="SSDs and hard disks may share a drive group")
    ] = None
    mixed_interfaces: Annotated[
        bool | None, Field(description="SAS and SATA drives may share a drive group")
    ] = None


class MakeHotSpare(ApiInput):
    drive_group_ids: Annotated[
        list[UUID], Field(max_length=64, description="empty: a global hot spare")
    ] = []
    enclosure_affinity: Annotated[bool, Field(description="serves only its own enclosure")] = False
    non_revertible: Annotated[
        bool, Field(description="stays a member when the lost drive has been replaced")
    ] = False
    force: bool = False
    serial: Annotated[
        Serial | None, Field(description="typed, if the drive carries data to be overwritten")
    ] = None


class TaskRequest(ApiInput):
    action: TaskAction


class ConsistencyCheck(TaskRequest):
    """The comparison of its redundancy with its data: start, stop, pause, resume."""

    correct: Annotated[
        bool,
        Field(
            description="to start: what no single drive explains is made to agree with the data, "
            "or with the first copy, right or wrong"
        ),
    ] = False
    confirm: Annotated[
        str | None, Field(max_length=64, description="its name, typed; needed with correct")
    ] = None


class CopybackRequest(TaskRequest):
    target_drive_id: Annotated[
        UUID | None, Field(description="start: the drive that is filled and takes the place")
    ] = None


class EraseAction(StrEnum):
    START = "start"
    STOP = "stop"


class EraseDrive(ApiInput):
    action: EraseAction
    mode: Annotated[
        EraseMode | None,
        Field(
            description="simple: zeros; normal: pattern a, pattern b, zeros; thorough: three times "
            "that; threepass: random data, zeros, zeros; all of it is read back"
        ),
    ] = None
    pattern_a: Annotated[int | None, Field(ge=0, le=255)] = None
    pattern_b: Annotated[int | None, Field(ge=0, le=255)] = None
    force: Annotated[bool, Field(description="also what belongs to somebody else")] = False
    confirm: Annotated[
        Serial | None, Field(description="its serial number, typed; needed to start")
    ] = None


class LocateDrive(ApiInput):
    on: bool
    seconds: Annotated[
        int | None,
        Field(ge=0, le=86400, description="then its light goes out by itself; 0: by command only"),
    ] = None


class MakeDriveGood(ApiInput):
    force: Annotated[bool, Field(description="wipe a foreign label")] = False
    confirm: Annotated[
        Serial | None, Field(description="its serial number, typed; needed with force")
    ] = None


class ReplaceMember(ApiInput):
    """Puts this drive in the place of a missing or failed member."""

    drive_group_id: UUID
    span: Size
    row: Size
    force: bool = False
    serial: Annotated[
        Serial | None, Field(description="typed, if the drive carries data to be overwritten")
    ] = None


class InjectFault(ApiInput):
    """Only on emulated drives."""

    fault: FaultKind
    lba: Annotated[
        Size | None, Field(description="media_error, write_error: first 512-byte block")
    ] = None
    count: Annotated[Size | None, Field(description="blocks")] = None
    latency_ms: Annotated[Size | None, Field(description="slow")] = None


class BatteryUpdate(Change):
    """When and how learn cycles run."""

    learn_mode: LearnMode | None = None
    next_learn_at: Annotated[
        AwareInstant | None, Field(description="when the next learn cycle begins")
    ] = None


class InjectBatteryFault(ApiInput):
    """Only on emulated batteries."""

    fault: BatteryFault


class DiscardCache(ApiInput):
    """Acknowledged writes that wait for missing drives are thrown away."""

    virtual_drive_key: Annotated[
        str, StringConstraints(pattern=KEY), Field(description="as the controller's cache names it")
    ]
    confirm: Annotated[str, Field(max_length=64, description="the virtual drive's name, typed")]


class ImportForeign(ApiInput):
    """Takes a foreign set over as a drive group, all of it or nothing."""

    set: Annotated[
        str, StringConstraints(pattern=KEY), Field(description="its id, from the foreign sets")
    ]
    digest: Annotated[
        str | None,
        Field(max_length=64, description="of the set as it was looked at"),
    ] = None


class ClearForeign(ApiInput):
    """Takes the metadata off the drives of a foreign set; they are saved before."""

    set: Annotated[
        str, StringConstraints(pattern=KEY), Field(description="its id, from the foreign sets")
    ]
    digest: Annotated[
        str | None,
        Field(max_length=64, description="of the set as it was looked at"),
    ] = None
    confirm: Annotated[str, Field(min_length=1, max_length=64, description="the set's name, typed")]


class RestoreUndo(ApiInput):
    """Brings back what was deleted, all of it or nothing."""

    undo: Annotated[
        int, Field(ge=1, le=SEQUENCE_MAX, description="its number, from the saved configurations")
    ]
