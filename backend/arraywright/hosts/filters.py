"""Filters of the host list."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from arraywright.kit.fields import FieldQuery
from arraywright.kit.presence import Presence
from arraywright.link.protocol import ControllerStatus

SortWord = Literal[
    "name",
    "-name",
    "presence",
    "-presence",
    "last_seen",
    "-last_seen",
    "worst_state",
    "-worst_state",
    "agent_version",
    "-agent_version",
    "drives",
    "-drives",
    "virtual_drives",
    "-virtual_drives",
    "raw_bytes",
    "-raw_bytes",
    "usable_bytes",
    "-usable_bytes",
    "operations_running",
    "-operations_running",
    "open_alerts",
    "-open_alerts",
    "drive_failures_left",
    "-drive_failures_left",
]


class HostFilter(FieldQuery):
    sort: Annotated[
        SortWord, Field(description="with a minus the largest or the worst first; then by name")
    ] = "name"
    q: Annotated[
        str | None, Field(max_length=100, description="part of the name or of a label")
    ] = None
    presence: Annotated[list[Presence], Field(description="any of these", max_length=8)] = []
    online: Annotated[
        bool | None, Field(description="connecting, online or late; or none of these")
    ] = None
    worst_state: ControllerStatus | None = None
    alerts: Annotated[bool | None, Field(description="with or without open alerts")] = None
    label: Annotated[
        list[Annotated[str, Field(max_length=63)]],
        Field(description="all of these labels", max_length=16),
    ] = []
    enrolment_token_id: Annotated[
        UUID | None, Field(description="the token with which they enrolled")
    ] = None
