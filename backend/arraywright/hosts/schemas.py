"""Hosts, their enrolment and the fleet's figures."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from arraywright.kit.presence import Presence
from arraywright.kit.schema import ApiInput, ApiModel, OpenWord, Reason, Timestamp
from arraywright.link.protocol import DriveState, EventClass, VirtualDriveState


class HostSummary(ApiModel):
    """Figures of one host as of its last report."""

    worst_state: Annotated[
        OpenWord[VirtualDriveState] | None,
        Field(description="of its virtual drives; null if there are none"),
    ]
    controllers: int
    drives: int
    drives_unconfigured: Annotated[int, Field(description="unconfigured good drives")]
    drives_failed: Annotated[int, Field(description="failed, missing or unconfigured bad")]
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


class EnrolmentToken(ApiModel):
    id: UUID
    name: str
    prefix: str
    created_at: Timestamp
    created_by: str
    expires_at: Timestamp
    used_at: Timestamp | None
    host_id: Annotated[UUID | None, Field(description="the host that used it")]
    revoked: bool
    usable: bool


class EnrolmentTokenCreate(ApiInput):
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] = ""
    expires_in_minutes: Annotated[int, Field(ge=1, le=7 * 24 * 60)] = 60


class EnrolmentTokenCreated(EnrolmentToken):
    token: Annotated[str, Field(description="shown this once only")]
    install_line: Annotated[
        str, Field(description="the one line to run on the machine that is to be enrolled")
    ]
