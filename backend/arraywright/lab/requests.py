"""The wizard's question: what would these drives do at this level, and at the others?"""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.schema import ApiInput, ApiModel, OpenWord
from arraywright.lab.schemas import DRIVES_MAX, ProfileName, Rebuild, StripBytes, Survival
from arraywright.link.protocol import (
    DriveMedia,
    IoPolicy,
    RaidLevel,
    ReadPolicy,
    WritePolicy,
)
from arraywright.storage.requests import Load


class ChoiceRequest(ApiInput):
    """A wish, as the preview takes it."""

    controller_id: UUID
    level: RaidLevel
    drive_ids: Annotated[list[UUID], Field(min_length=1, max_length=DRIVES_MAX)]
    drives_per_span: Annotated[int, Field(ge=1, le=DRIVES_MAX)] | None = None
    strip_bytes: StripBytes | None = None
    write_policy: WritePolicy = WritePolicy.WRITE_BACK
    read_policy: ReadPolicy = ReadPolicy.ADAPTIVE_READ_AHEAD
    io_policy: IoPolicy = IoPolicy.DIRECT
    drive_profile: Annotated[
        ProfileName | None, Field(description="as which model; absent: the most similar one")
    ] = None


class AssumedDrive(ApiModel):
    """Which model stands for the drives."""

    profile: str
    model: str
    media: OpenWord[DriveMedia]
    exact: Annotated[bool, Field(description="it is their model; else only the most similar one")]
    chosen: Annotated[bool, Field(description="somebody asked for this model")]


class Bound(ApiModel):
    """What the prediction was limited to, so that it comes at once."""

    operations: Annotated[int, Field(description="random reads, measured")]
    warmup_operations: int
    write_operations: Annotated[int, Field(description="random writes, measured")]
    write_warmup_operations: Annotated[
        int, Field(description="they fill the cache and the drives' own buffers first")
    ]
    sequential_operations: Annotated[int, Field(description="of each kind, measured")]
    sequential_warmup_operations: int
    cache_bytes: Annotated[
        int, Field(description="simulated; a small cache is soon as full as a large one gets")
    ]
    random_bytes: Annotated[int, Field(description="of a random request")]
    random_depth: int
    sequential_bytes: Annotated[int, Field(description="of a sequential request")]
    sequential_depth: int


class ChoiceFigures(ApiModel):
    random_read_per_s: float
    random_write_per_s: float
    sequential_read_bytes_per_s: float
    sequential_write_bytes_per_s: float


class Choice(ApiModel):
    level: OpenWord[RaidLevel]
    write_policy: OpenWord[WritePolicy]
    write_policy_reason: Annotated[
        str | None, Field(description="why the battery rule makes another one of it")
    ] = None
    chosen: bool
    refused: Annotated[str | None, Field(description="why it cannot be; then nothing follows")]
    size_bytes: int
    figures: ChoiceFigures | None
    survival: Survival | None
    rebuild: Rebuild | None


class ChoicePrediction(ApiModel):
    version: Annotated[str, Field(description="of arraysim")]
    controller: Annotated[str, Field(description="profile whose limits count")]
    drive: AssumedDrive
    capacity_bytes: Annotated[int, Field(description="of the smallest drive")]
    host_cache_bytes: Annotated[int, Field(description="of the controller; 0: write-through only")]
    bound: Bound
    choices: list[Choice]


class MeasuredRequest(ApiInput):
    """Loads for a virtual drive, as they are measured on it."""

    virtual_drive_id: UUID
    seconds: Annotated[int, Field(ge=1, le=600)]
    loads: Annotated[list[Load], Field(min_length=1, max_length=8)]


class LoadPrediction(ApiModel):
    operations_per_s: float
    bytes_per_s: float


class MeasuredPrediction(ApiModel):
    version: Annotated[str, Field(description="of arraysim")]
    drive: AssumedDrive
    refused: Annotated[str | None, Field(description="why it cannot be; then nothing follows")]
    loads: Annotated[list[LoadPrediction], Field(description="in the order they were asked")]
