"""Filters of the storage lists."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from arraywright.kit.paging import PageQuery
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


class ObjectFilter(PageQuery):
    host_id: UUID | None = None
    q: Search = None


class ControllerFilter(ObjectFilter):
    status: Annotated[list[ControllerStatus], Field(max_length=64)] = []


class EnclosureFilter(ObjectFilter):
    controller_id: UUID | None = None


class DriveFilter(ObjectFilter):
    controller_id: UUID | None = None
    enclosure_id: UUID | None = None
    drive_group_id: UUID | None = None
    state: Annotated[list[DriveState], Field(max_length=64)] = []


class DriveGroupFilter(ObjectFilter):
    controller_id: UUID | None = None
    state: Annotated[list[VirtualDriveState], Field(max_length=64)] = []
    level: Annotated[list[RaidLevel], Field(max_length=64)] = []


class VirtualDriveFilter(ObjectFilter):
    controller_id: UUID | None = None
    drive_group_id: UUID | None = None
    state: Annotated[list[VirtualDriveState], Field(max_length=64)] = []
    level: Annotated[list[RaidLevel], Field(max_length=64)] = []


class BatteryFilter(ObjectFilter):
    controller_id: UUID | None = None
    kind: Annotated[list[BatteryKind], Field(max_length=64)] = []
    state: Annotated[list[BatteryState], Field(max_length=64)] = []


class OperationFilter(PageQuery):
    host_id: UUID | None = None
    controller_id: UUID | None = None
    drive_group_id: UUID | None = None
    target_id: UUID | None = None
    kind: Annotated[list[OperationKind], Field(max_length=64)] = []
    state: Annotated[list[OperationState], Field(max_length=64)] = []
    active: Annotated[
        bool | None, Field(description="true: running, paused or waiting; false: ended")
    ] = None
