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
    str | None, Field(max_length=100, description="part of a name, path, serial or model")
]


class ObjectFilter(PageQuery):
    host_id: UUID | None = None
    q: Search = None


class ControllerFilter(ObjectFilter):
    status: list[ControllerStatus] = []


class EnclosureFilter(ObjectFilter):
    controller_id: UUID | None = None


class DriveFilter(ObjectFilter):
    controller_id: UUID | None = None
    enclosure_id: UUID | None = None
    drive_group_id: UUID | None = None
    state: list[DriveState] = []


class DriveGroupFilter(ObjectFilter):
    controller_id: UUID | None = None
    state: list[VirtualDriveState] = []
    level: list[RaidLevel] = []


class VirtualDriveFilter(ObjectFilter):
    controller_id: UUID | None = None
    drive_group_id: UUID | None = None
    state: list[VirtualDriveState] = []
    level: list[RaidLevel] = []


class BatteryFilter(ObjectFilter):
    controller_id: UUID | None = None
    kind: list[BatteryKind] = []
    state: list[BatteryState] = []


class OperationFilter(PageQuery):
    host_id: UUID | None = None
    controller_id: UUID | None = None
    drive_group_id: UUID | None = None
    target_id: UUID | None = None
    kind: list[OperationKind] = []
    state: list[OperationState] = []
    active: Annotated[
        bool | None, Field(description="true: running, paused or waiting; false: ended")
    ] = None
