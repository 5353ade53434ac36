"""What hosts report: controllers, enclosures, drives, drive groups and virtual drives."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.schema import ApiModel, OpenWord, Reason, Timestamp
from arraywright.link.protocol import (
    AccessPolicy,
    ControllerStatus,
    DriveCachePolicy,
    DriveInterface,
    DriveMedia,
    DriveState,
    FaultKind,
    IoPolicy,
    RaidLevel,
    ReadPolicy,
    SpareKind,
    VirtualDriveState,
    WritePolicy,
)


class Reported(ApiModel):
    """Common to everything a host reports."""

    id: UUID
    host_id: UUID
    host_name: str
    key: Annotated[str, Field(description="name within the host, stable over restarts")]
    rev: Annotated[int, Field(description="moves with any change")]
    config_rev: Annotated[
        int, Field(description="moves with configuration or health; ETag and If-Match")
    ]
    online: Annotated[bool, Field(description="whether its host is online")]
    stale_since: Annotated[
        Timestamp | None, Field(description="last report of an offline host; null if online")
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
    auto_rebuild: bool
    levels: list[LevelRule]
    strip_sizes_bytes: list[int]
    strip_default_bytes: int
    nbd_tcp: Annotated[str | None, Field(description="HOST:PORT of exports by TCP")]


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


class HotSpare(ApiModel):
    kind: OpenWord[SpareKind]
    drive_group_ids: list[UUID]


class Fault(ApiModel):
    kind: OpenWord[FaultKind]
    lba: int | None = None
    count: int | None = None
    latency_ms: int | None = None


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
    usable_bytes: Annotated[int, Field(description="without the areas reserved at the end")]
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
    unsuitable: Annotated[Reason | None, Field(description="why it cannot be used at all")]
    state_reason: Reason | None
    faults: Annotated[list[Fault], Field(description="active on an emulated drive")]


class Member(ApiModel):
    span: int
    row: int
    drive_id: UUID | None
    state: OpenWord[DriveState]
    serial: Annotated[str, Field(description="of the drive that belongs here, also if missing")]


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
    members: list[Member]
    virtual_drive_ids: list[UUID]
    spare_ids: Annotated[list[UUID], Field(description="hot spares that would serve it")]


class WritePolicyState(ApiModel):
    """Requested and effective may differ; the reason says why."""

    requested: OpenWord[WritePolicy]
    effective: OpenWord[WritePolicy]
    reason: Reason


class ReadPolicyState(ApiModel):
    requested: OpenWord[ReadPolicy]
    effective: OpenWord[ReadPolicy]
    reason: Reason


class Export(ApiModel):
    kind: Annotated[str, Field(description="nbd_unix or nbd_tcp")]
    uri: str
    connections: int


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
    guarantee: Reason
    created_at: Timestamp
    exports: list[Export]
    media_error_count: Annotated[int, Field(description="blocks that could not be recovered")]
    operation_ids: list[UUID]
