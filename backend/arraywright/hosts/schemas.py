"""Hosts, their enrollment and the fleet's figures."""

from enum import StrEnum
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, StringConstraints, field_validator, model_validator

from arraywright.kit.presence import Presence
from arraywright.kit.schema import ApiInput, ApiModel, OpenWord, Reason, Timestamp
from arraywright.link.protocol import (
    ControllerStatus,
    DriveState,
    EventClass,
    VirtualDriveState,
)

LABELS_MAX = 16
USES_MAX = 10_000
"""Also what a token without a number of uses can enroll at most."""
DAY_MINUTES = 24 * 60

Label = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        max_length=63,
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9._:/=-]*[A-Za-z0-9])?$",
    ),
]


class HostSummary(ApiModel):
    """Figures of one host as of its last report."""

    worst_state: Annotated[
        OpenWord[ControllerStatus] | None,
        Field(description="what its worst finding makes of it; null without a controller"),
    ]
    controllers: int
    drives: int
    drives_unconfigured: Annotated[int, Field(description="unconfigured good drives")]
    drives_failed: Annotated[
        int,
        Field(description="failed, missing or unconfigured bad, and a finding says so"),
    ]
    hot_spares: int
    drive_groups: int
    virtual_drives: int
    virtual_drives_degraded: Annotated[int, Field(description="degraded or partially degraded")]
    virtual_drives_offline: int
    drive_failures_left: Annotated[
        int | None,
        Field(description="least of its redundant virtual drives; null if there are none"),
    ]
    operations_running: Annotated[int, Field(description="running, paused or waiting")]
    raw_bytes: Annotated[int, Field(description="of all drives")]
    usable_bytes: Annotated[int, Field(description="of all virtual drives")]
    open_alerts: int
    worst_alert: OpenWord[EventClass] | None


class Host(ApiModel):
    id: UUID
    name: str
    label: Annotated[
        str, Field(description="the name; with the start of the id if another host has it too")
    ]
    rev: int
    config_rev: Annotated[str, Field(description="opaque; never used twice")]
    presence: Annotated[
        Presence,
        Field(
            description="enrolled: has never connected; connecting: its report is on its way; "
            "online; late: not heard for two heartbeats; offline"
        ),
    ]
    online: Annotated[bool, Field(description="whether its presence is connecting, online or late")]
    stale_since: Annotated[
        Timestamp | None, Field(description="last report of an offline host; null if online")
    ]
    last_seen: Timestamp | None
    enrolled_at: Timestamp
    labels: Annotated[list[str], Field(description="at first those of the token it enrolled with")]
    connected_at: Annotated[Timestamp | None, Field(description="start of the present session")]
    hostname: str
    os: str
    kernel: str
    agent_version: str
    boot_id: str
    policy_preset: Annotated[str, Field(description="standard, strict or lab; empty if unknown")]
    started_at: Annotated[Timestamp | None, Field(description="start of the agent")]
    clock_offset_ms: Annotated[int | None, Field(description="host's clock minus ours")]
    summary: HostSummary
    limited: Annotated[
        list[str],
        Field(
            description="fields whose reported values are impossible: the nearest is shown; "
            "`report`: the newest report cannot be understood, an older one is shown"
        ),
    ]
    blocked: dict[str, Reason]


class DriveStateCount(ApiModel):
    state: OpenWord[DriveState]
    count: int


class VirtualDriveStateCount(ApiModel):
    state: OpenWord[VirtualDriveState]
    count: int


class SeverityCount(ApiModel):
    severity: OpenWord[EventClass]
    count: int


class PresenceCount(ApiModel):
    presence: Presence
    count: int


class Fleet(ApiModel):
    """The dashboard's figures."""

    hosts: int
    hosts_online: int
    hosts_by_presence: list[PresenceCount]
    drives_by_state: list[DriveStateCount]
    virtual_drives_by_state: list[VirtualDriveStateCount]
    drive_failures_left: Annotated[
        int | None, Field(description="least of all redundant virtual drives")
    ]
    raw_bytes: int
    usable_bytes: int
    operations_running: int
    open_alerts_by_severity: list[SeverityCount]


class EnrolledHost(ApiModel):
    id: UUID
    label: str
    enrolled_at: Timestamp
    retired: bool


class EnrolmentToken(ApiModel):
    id: UUID
    name: str
    prefix: str
    created_at: Timestamp
    created_by: str
    expires_at: Timestamp
    uses: Annotated[int, Field(description="hosts that enrolled with it")]
    max_uses: Annotated[
        int | None,
        Field(description=f"null: any number until it expires, at most {USES_MAX}"),
    ]
    labels: Annotated[list[str], Field(description="what its hosts are labeled with")]
    used_at: Annotated[Timestamp | None, Field(description="last use")]
    host_id: Annotated[UUID | None, Field(description="the host that used it last")]
    hosts: Annotated[
        list[EnrolledHost],
        Field(description="the newest of them; all: GET /hosts?enrolment_token_id=…"),
    ]
    revoked: bool
    usable: bool


class HostUpdate(ApiInput):
    labels: Annotated[
        list[Label], Field(max_length=LABELS_MAX, description="all of them; others are taken off")
    ]

    @field_validator("labels")
    @classmethod
    def _each_once(cls, labels: list[str]) -> list[str]:
        return sorted(set(labels))


class EnrolmentTokenCreate(ApiInput):
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] = ""
    expires_in_minutes: Annotated[int, Field(ge=1, le=7 * DAY_MINUTES)] = 60
    max_uses: Annotated[
        int | None,
        Field(ge=1, le=USES_MAX, description="null: any number, for a day at most"),
    ] = 1
    labels: Annotated[list[Label], Field(max_length=LABELS_MAX)] = []

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.max_uses is None and self.expires_in_minutes > DAY_MINUTES:
            raise ValueError("a token without a number of uses lasts for a day at most")
        self.labels = sorted(set(self.labels))
        return self


class EnrolmentTokenCreated(EnrolmentToken):
    token: Annotated[str, Field(description="shown this once only")]
    install_line: Annotated[
        str, Field(description="the one line to run on the machine that is to be enrolled")
    ]


class LineForm(StrEnum):
    PACKAGE = "package"
    INSTALLED = "installed"
    CONTAINER = "container"


class EnrolmentLine(ApiModel):
    form: Annotated[
        LineForm,
        Field(
            description="package: installs the Debian package that lies there, then enrolls; "
            "installed: the agent is there; container: an agent with emulated drives, to try"
        ),
    ]
    line: Annotated[str, Field(description="TOKEN stands for the token")]


class EnrolmentLines(ApiModel):
    url: Annotated[str, Field(description="how hosts reach this server by these lines")]
    loopback: Annotated[bool, Field(description="that address works on this machine only")]
    lines: list[EnrolmentLine]
