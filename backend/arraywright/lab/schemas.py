"""What arraysim is asked and what it answers (agent/protocol/scenario.schema.json and others)."""

from enum import StrEnum
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, StringConstraints, model_validator

from arraywright.kit.schema import ApiInput, ApiModel, OpenWord, Timestamp
from arraywright.link.protocol import (
    DriveInterface,
    DriveMedia,
    IoPolicy,
    RaidLevel,
    ReadPolicy,
    WritePolicy,
)

DRIVES_MAX = 64
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


class ScenarioController(ApiInput):
    profile: ProfileName
    count: Annotated[
        int, Field(ge=1, le=4, description="several: a stripe of the host over them")
    ] = 1
    cache_bytes: Annotated[
        int | None, Field(ge=0, le=16 * 1024**3, description="absent: as fitted")
    ] = None
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


ScenarioName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)
]


class SavedScenarioCreate(ApiInput):
    name: ScenarioName
    scenario: Scenario


class SavedScenario(ApiModel):
    """What somebody saved to simulate it again."""

    id: UUID
    name: str
    scenario: Scenario
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


class PredictedArray(ApiModel):
    level: OpenWord[RaidLevel]
    drives: int
    write_policy: OpenWord[WritePolicy]
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


class Prediction(ApiModel):
    seed: int
    controller: str
    drive: str
    capacity_bytes: int
    cache_bytes: int
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
