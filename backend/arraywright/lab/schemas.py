"""What arraysim is asked and what it answers (agent/protocol/scenario.schema.json and others)."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from arraywright.kit.schema import ApiInput, ApiModel, OpenWord, Timestamp
from arraywright.link.protocol import (
    BatteryState,
    DriveInterface,
    DriveMedia,
    IoPolicy,
    OperationState,
    RaidLevel,
    ReadPolicy,
    VirtualDriveState,
    WritePolicy,
)

DRIVES_MAX = 64
GROUPS_MAX = 8
POINTS_MAX = 1024
OPERATIONS_MAX = 10_000_000

ProfileName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,32}$")]
DriveNumber = Annotated[int, Field(ge=0, lt=DRIVES_MAX)]
Failed = Annotated[list[DriveNumber], Field(max_length=DRIVES_MAX)]
StripBytes = Annotated[int, Field(ge=8192, le=1048576)]
DriveCount = Annotated[int, Field(ge=1, le=DRIVES_MAX)]


class Pattern(StrEnum):
    RANDOM = "random"
    SEQUENTIAL = "sequential"
    FILES_CREATE = "files_create"
    FILES_READ = "files_read"
    FILES_COPY = "files_copy"
    FILES_COPY_FAR = "files_copy_far"


class Formula(StrEnum):
    NONE = "none"
    MEAN = "mean"
    SHORT_QUEUES = "short_queues"


# What there is to choose from


class CatalogueLevel(ApiModel):
    level: OpenWord[RaidLevel]
    drives_min: int


class QuirkModel(ApiModel):
    """What the reviewers of a controller saw and could not explain: off unless it is asked for."""

    name: str
    text: Annotated[str, Field(description="what it does")]


class ControllerModel(ApiModel):
    name: str
    model: str
    manufacturer: str
    ports: Annotated[int, Field(description="0: as many as there are")]
    has_cache: bool
    cache_fitted_bytes: int
    cache_max_bytes: Annotated[int, Field(description="upgrades included; 0 with a cache: any")]
    levels: list[CatalogueLevel]
    strip_sizes_bytes: list[int]
    strip_default_bytes: int
    quirks: list[QuirkModel] = []


class DriveModel(ApiModel):
    name: str
    model: str
    manufacturer: str
    media: OpenWord[DriveMedia]
    interface: OpenWord[DriveInterface]
    capacity_bytes: int
    rpm: Annotated[int, Field(description="0: nothing turns")]


class BlockShare(ApiModel):
    bytes: int
    percent: int


class WorkloadModel(ApiModel):
    """A pattern of the reviews, with its printed parameters."""

    name: str
    id: str = ""
    title: str = ""
    pattern: OpenWord[Pattern]
    mixes: list[list[BlockShare]]
    write_percents: list[int]
    workers: list[int]
    depths: list[int]
    zone_bytes: Annotated[
        int, Field(description="only the first so many, a volume of files; 0: all")
    ] = 0
    start_bytes: Annotated[int, Field(description="sequential: begins there")] = 0
    file_bytes: Annotated[int, Field(description="files: of each")] = 0
    rating: OpenWord[Formula]
    assumed: Annotated[
        list[str], Field(description="what the reviews do not say and was assumed")
    ] = []


class Catalogue(ApiModel):
    controllers: list[ControllerModel]
    drives: list[DriveModel]
    workloads: list[WorkloadModel]


class LabCatalogue(Catalogue):
    version: Annotated[str, Field(description="of arraysim")]


# What is asked


class Block(ApiInput):
    bytes: Annotated[int, Field(ge=512, le=8 * 1024 * 1024, multiple_of=512)]
    percent: Annotated[int, Field(ge=1, le=100)]


Mix = Annotated[list[Block], Field(min_length=1, max_length=16)]


class Workload(ApiInput):
    """A profile, changed by whatever else is given; or all of it given here."""

    profile: ProfileName | None = None
    name: ProfileName | None = None
    pattern: Pattern | None = None
    mixes: Annotated[list[Mix], Field(min_length=1, max_length=32)] | None = None
    write_percents: (
        Annotated[list[Annotated[int, Field(ge=0, le=100)]], Field(min_length=1, max_length=32)]
        | None
    ) = None
    workers: (
        Annotated[list[Annotated[int, Field(ge=1, le=64)]], Field(min_length=1, max_length=32)]
        | None
    ) = None
    depths: (
        Annotated[list[Annotated[int, Field(ge=1, le=1024)]], Field(min_length=1, max_length=32)]
        | None
    ) = None
    zone_bytes: Annotated[int, Field(ge=0, le=2**50)] | None = None
    start_bytes: Annotated[int, Field(ge=0, le=2**50)] | None = None
    file_bytes: Annotated[int, Field(ge=0, le=2**50)] | None = None
    operations: Annotated[
        int | None, Field(ge=10, le=200_000, description="measured; absent: the limits'")
    ] = None
    warmup_operations: Annotated[
        int | None, Field(ge=0, le=200_000, description="absent: the limits'")
    ] = None

    @model_validator(mode="after")
    def _has_a_name(self) -> Self:
        if self.profile is None and self.name is None:
            raise ValueError("a workload needs a profile or a name")
        return self


class SharedController(ApiInput):
    """One, and what all of its drives share."""

    profile: ProfileName
    cache_bytes: Annotated[
        int | None, Field(ge=0, le=16 * 1024**3, description="absent: as fitted")
    ] = None
    battery: Annotated[
        BatteryState | None,
        Field(
            description="of its cache: its rule decides what write-back becomes; "
            "absent: optimal, or missing if the model takes none"
        ),
    ] = None
    expander_bytes_per_s: Annotated[
        int, Field(ge=0, le=2**40, description="between it and its drives; 0: there is none")
    ] = 0


class ScenarioController(SharedController):
    count: Annotated[
        int, Field(ge=1, le=4, description="several: a stripe of the host over them")
    ] = 1
    quirks: Annotated[
        list[ProfileName], Field(max_length=16, description="of its model, by name")
    ] = []


class ScenarioDrives(ApiInput):
    profile: ProfileName
    count: DriveCount
    capacity_bytes: Annotated[
        int | None, Field(ge=2**26, le=2**44, description="absent: the model's")
    ] = None
    write_cache: Annotated[bool, Field(description="the drives' own")] = True
    failed: Failed = []


class ScenarioArray(ApiInput):
    level: RaidLevel
    spans: Annotated[int | None, Field(ge=1, le=DRIVES_MAX)] = None
    strip_bytes: StripBytes = 65536
    write_policy: WritePolicy = WritePolicy.WRITE_THROUGH
    read_policy: ReadPolicy = ReadPolicy.NO_READ_AHEAD
    io_policy: IoPolicy = IoPolicy.DIRECT


class ScenarioLimits(ApiInput):
    """The bound of a prediction, for each point."""

    operations: Annotated[int, Field(ge=10, le=200_000)] = 2000
    warmup_operations: Annotated[int, Field(ge=0, le=200_000)] = 1000
    fill_operations: Annotated[
        int,
        Field(
            ge=0,
            le=200_000,
            description="writes by way of a cache are measured when it has been filled, and until "
            "it was written once more: so many operations at most, each",
        ),
    ] = 0
    seconds: Annotated[int, Field(ge=1, le=100_000, description="of virtual time")] = 3600


class ScenarioSweep(ApiInput):
    """Each combination is an array; without a list: as the scenario's array."""

    levels: Annotated[list[RaidLevel], Field(min_length=1, max_length=len(RaidLevel))] | None = None
    drive_counts: Annotated[list[DriveCount], Field(min_length=1, max_length=16)] | None = None
    write_policies: Annotated[list[WritePolicy], Field(min_length=1, max_length=3)] | None = None
    read_policies: Annotated[list[ReadPolicy], Field(min_length=1, max_length=3)] | None = None
    io_policies: Annotated[list[IoPolicy], Field(min_length=1, max_length=2)] | None = None
    strip_sizes_bytes: Annotated[list[StripBytes], Field(min_length=1, max_length=8)] | None = None
    failures: (
        Annotated[
            list[Failed],
            Field(min_length=1, max_length=8, description="members that are missing"),
        ]
        | None
    ) = None

    def arrays(self) -> int:
        count = 1
        for axis in type(self).model_fields:
            count *= len(getattr(self, axis) or (None,))
        return count


class Scenario(ApiInput):
    """What arraysim is to predict: nothing real is touched."""

    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    controller: ScenarioController
    drives: ScenarioDrives
    array: ScenarioArray
    sweep: ScenarioSweep = ScenarioSweep()
    workloads: Annotated[list[Workload], Field(min_length=1, max_length=16)]
    limits: ScenarioLimits = ScenarioLimits()
    rebuild: Annotated[bool, Field(description="predict how long a rebuild takes too")] = False


class SlowFault(ApiInput):
    """Each of its commands takes longer."""

    kind: Literal["slow"]
    member: DriveNumber
    latency_ms: Annotated[int, Field(ge=1, le=60_000)]


class FailsFault(ApiInput):
    """The drive leaves."""

    kind: Literal["fails"]
    member: DriveNumber
    after_ms: Annotated[
        int, Field(ge=0, le=86_400_000, description="of virtual time after measuring has begun")
    ]


class LatentErrorsFault(ApiInput):
    """Blocks that cannot be read until they are written again."""

    kind: Literal["latent_errors"]
    member: DriveNumber
    offset_bytes: Annotated[int, Field(ge=0, le=2**50, multiple_of=512)]
    length_bytes: Annotated[int, Field(ge=512, le=2**50, multiple_of=512)]


Fault = Annotated[SlowFault | FailsFault | LatentErrorsFault, Field(discriminator="kind")]


class GroupRebuild(ApiInput):
    """Of a drive that holds nothing yet, beside the load."""

    member: DriveNumber
    rate_percent: Annotated[int, Field(ge=0, le=100)] = 30


class ScenarioGroup(ApiInput):
    name: Annotated[str, Field(min_length=1, max_length=32, description="no other group has it")]
    drives: ScenarioDrives
    array: ScenarioArray
    workload: Annotated[
        Workload, Field(description="one mix, share of writes, number of workers and depth")
    ]
    faults: Annotated[list[Fault], Field(max_length=16)] = []
    rebuild: GroupRebuild | None = None


class GroupsScenario(ApiInput):
    """Several drive groups of one controller at the same time."""

    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    controller: SharedController
    groups: Annotated[
        list[ScenarioGroup],
        Field(
            min_length=1,
            max_length=GROUPS_MAX,
            description="measured over the same time, until the first has had its operations",
        ),
    ]
    limits: ScenarioLimits = ScenarioLimits()
    alone: Annotated[bool, Field(description="each of them by itself, too")] = False


def _of_its_kind(value: Any) -> Any:
    """So that whoever made a mistake is told about the kind that was meant."""
    if not isinstance(value, dict):
        return value
    return (GroupsScenario if "groups" in value else Scenario).model_validate(value)


AnyScenario = Annotated[Scenario | GroupsScenario, BeforeValidator(_of_its_kind)]
ScenarioName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)
]


class SavedScenarioCreate(ApiInput):
    name: ScenarioName
    scenario: AnyScenario


class SavedScenario(ApiModel):
    """What somebody saved to simulate it again."""

    id: UUID
    name: str
    scenario: AnyScenario
    created_at: Timestamp


# What is answered


class PredictedLatency(ApiModel):
    count: int
    mean_us: float
    p50_us: int
    p90_us: int
    p99_us: int
    p999_us: int
    max_us: int


class DriveCommands(ApiModel):
    """What reached one drive."""

    reads: int
    writes: int
    flushes: int
    read_bytes: int
    written_bytes: int


class PredictionWarning(ApiModel):
    """Why figures may say too much."""

    code: str
    text: str


class PredictedPoint(ApiModel):
    """One array under one load."""

    workload: str
    mix: list[BlockShare]
    write_percent: int
    workers: int
    depth: int
    operations: int
    duration_us: Annotated[int, Field(description="of virtual time")]
    operations_per_s: float
    bytes_per_s: float
    cache_filled: Annotated[
        bool | None, Field(description="before writes were measured; null: there was none to fill")
    ] = None
    read_latency: PredictedLatency
    write_latency: PredictedLatency
    drives: list[DriveCommands]
    warnings: list[PredictionWarning] = []


class Rating(ApiModel):
    """One figure over the queue depths of a workload, by the reviews' formula."""

    workload: str
    formula: OpenWord[Formula]
    write_percent: int
    workers: int
    mix: list[BlockShare]
    value: float


class Survival(ApiModel):
    """Which drives may fail, out of the whole array: each one and each pair was tried."""

    singles: int
    singles_survived: int
    pairs: int
    pairs_survived: int
    fatal_pairs: list[list[int]]


class Rebuild(ApiModel):
    """Of one drive, with nothing else to do."""

    seconds: float
    member_bytes: int
    sampled_bytes: Annotated[int, Field(description="so much of it was simulated")]


class BesideRebuild(ApiModel):
    """How far it came beside the load."""

    member: int
    rate_percent: int
    state: OpenWord[OperationState]
    rebuilt_bytes: int
    member_bytes: int


class GroupEnding(ApiModel):
    state: Annotated[OpenWord[VirtualDriveState], Field(description="at the end")]
    failed_requests: Annotated[int, Field(description="of those measured")]
    latent_bytes: Annotated[int, Field(description="of its drives, that still cannot be read")]
    bad_bytes: Annotated[int, Field(description="of the virtual drive, noted as lost")]
    rebuilding: BesideRebuild | None


class GroupAlone(GroupEnding):
    """By itself on the same controller, measured for no longer."""

    point: PredictedPoint


class PredictedGroup(GroupEnding):
    """One of several on the same controller: its array's only point is what it did beside them."""

    name: str
    drive: str
    capacity_bytes: Annotated[int, Field(description="of each drive")]
    alone: Annotated[GroupAlone | None, Field(description="null: not asked for")]


class PredictedArray(ApiModel):
    level: OpenWord[RaidLevel]
    drives: int
    write_policy: OpenWord[WritePolicy]
    effective_write_policy: Annotated[
        OpenWord[WritePolicy] | None,
        Field(description="what the controller's battery rule makes of it; null: not told"),
    ] = None
    write_policy_reason: Annotated[str | None, Field(description="why that is another one")] = None
    read_policy: OpenWord[ReadPolicy]
    io_policy: OpenWord[IoPolicy]
    strip_bytes: int
    failed: list[int]
    refused: Annotated[
        str | None, Field(description="why the controller does not take it; then nothing follows")
    ]
    size_bytes: int
    survival: Survival | None
    rebuild: Annotated[
        Rebuild | None, Field(description="null: not asked for, or nothing to rebuild from")
    ]
    points: list[PredictedPoint]
    ratings: list[Rating]
    group: Annotated[PredictedGroup | None, Field(description="null: the scenario has none")] = None


class Prediction(ApiModel):
    seed: int
    controller: str
    drive: str
    capacity_bytes: int
    cache_bytes: int
    battery: Annotated[
        OpenWord[BatteryState] | None, Field(description="of the cache, as assumed")
    ] = None
    arrays: list[PredictedArray]


class RunState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Simulation(ApiModel):
    """A run of arraysim. The same scenario is the same simulation, whoever asks."""

    id: str
    version: Annotated[str, Field(description="of arraysim")]
    state: RunState
    points: int
    points_done: int
    problem: Annotated[str | None, Field(description="why it failed")]
    prediction: Annotated[Prediction | None, Field(description="once completed")]
