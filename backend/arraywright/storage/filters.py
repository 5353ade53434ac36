"""Filters of the storage lists."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from arraywright.kit.fields import FieldQuery
from arraywright.link.protocol import (
    BatteryKind,
    BatteryState,
    ControllerStatus,
    DriveState,
    OperationKind,
    OperationState,
    RaidLevel,
    VirtualDriveState,
)

Search = Annotated[
    str | None,
    Field(
        max_length=100,
        description="part of a name, path, serial number, model, WWN, or of the host's name or a "
        "label of it",
    ),
]


class ObjectFilter(FieldQuery):
    host_id: UUID | None = None
    q: Search = None


SORT = "what the list is sorted by, with a minus the largest first; then by host and place"
BySort = Literal["host", "-host"]
ByTitle = Literal["model", "-model", "serial", "-serial"]
ByState = Literal["state", "-state"]
BySize = Literal["size", "-size"]
ByLevel = Literal["level", "-level"]
ByName = Literal["name", "-name"]
ByFailuresLeft = Literal["drive_failures_left", "-drive_failures_left"]


class ControllerFilter(ObjectFilter):
    sort: Annotated[BySort | Literal["status", "-status"] | ByTitle, Field(description=SORT)] = (
        "host"
    )
    status: Annotated[list[ControllerStatus], Field(max_length=64)] = []


class EnclosureFilter(ObjectFilter):
    sort: Annotated[BySort, Field(description=SORT)] = "host"
    controller_id: UUID | None = None


class DriveFilter(ObjectFilter):
    sort: Annotated[BySort | ByState | BySize | ByTitle, Field(description=SORT)] = "host"
    controller_id: UUID | None = None
    enclosure_id: UUID | None = None
    drive_group_id: UUID | None = None
    state: Annotated[list[DriveState], Field(max_length=64)] = []


class DriveGroupFilter(ObjectFilter):
    sort: Annotated[BySort | ByState | BySize | ByLevel, Field(description=SORT)] = "host"
    controller_id: UUID | None = None
    state: Annotated[list[VirtualDriveState], Field(max_length=64)] = []
    level: Annotated[list[RaidLevel], Field(max_length=64)] = []


class VirtualDriveFilter(ObjectFilter):
    sort: Annotated[
        BySort | ByState | BySize | ByLevel | ByName | ByFailuresLeft, Field(description=SORT)
    ] = "host"
    controller_id: UUID | None = None
    drive_group_id: UUID | None = None
    state: Annotated[list[VirtualDriveState], Field(max_length=64)] = []
    level: Annotated[list[RaidLevel], Field(max_length=64)] = []


class BatteryFilter(ObjectFilter):
    sort: Annotated[BySort | ByState | ByTitle, Field(description=SORT)] = "host"
    controller_id: UUID | None = None
    kind: Annotated[list[BatteryKind], Field(max_length=64)] = []
    state: Annotated[list[BatteryState], Field(max_length=64)] = []


class OperationFilter(FieldQuery):
    host_id: UUID | None = None
    controller_id: UUID | None = None
    drive_group_id: UUID | None = None
    target_id: UUID | None = None
    kind: Annotated[list[OperationKind], Field(max_length=64)] = []
    state: Annotated[list[OperationState], Field(max_length=64)] = []
    active: Annotated[
        bool | None, Field(description="true: running, paused or waiting; false: ended")
    ] = None
