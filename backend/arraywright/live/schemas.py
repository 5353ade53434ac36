"""Events of the live stream."""

from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StringConstraints

from arraywright.kit.schema import ApiInput, ApiModel


class LiveKind(StrEnum):
    HOST = "host"
    CONTROLLER = "controller"
    ENCLOSURE = "enclosure"
    DRIVE = "drive"
    DRIVE_GROUP = "drive_group"
    VIRTUAL_DRIVE = "virtual_drive"
    BATTERY = "battery"
    OPERATION = "operation"
    COMMAND = "command"
    EVENT = "event"
    ALERT = "alert"
    USER = "user"
    API_TOKEN = "api_token"  # noqa: S105
    ENROLMENT_TOKEN = "enrolment_token"  # noqa: S105
    SAVED_SCENARIO = "saved_scenario"


class LiveItem(ApiModel):
    """Something changed: fetch it again if you show it and hold an older `rev`."""

    kind: LiveKind
    id: str
    rev: int


class LiveChange(ApiModel):
    """SSE event `change`: at most one in 250 ms. For `event` the id is its host's."""

    changes: list[LiveItem]


class LiveReady(ApiModel):
    """SSE event `ready`: the first of every stream."""

    stream: UUID
    topics: list[str]


class LiveReset(ApiModel):
    """SSE event `reset`: what was missed is not known here; fetch everything again."""

    reset: Literal[True] = True


class LiveEnd(ApiModel):
    """SSE event `end`: the stream will not be served again with these credentials, or the
    server stops (`shutdown`: connect again)."""

    reason: Literal["logout", "role_changed", "expired", "shutdown", "too_slow"]


Topic = Annotated[
    str,
    StringConstraints(pattern=r"^(all|fleet|host:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$"),
]


class LiveTopics(ApiInput):
    """`all`; `fleet`: hosts, alerts, commands, users and tokens; `host:ID`: all of one host."""

    topics: Annotated[list[Topic], Field(min_length=1, max_length=201)]
