"""States that want a person's attention."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from arraywright.kit.schema import ApiInput, ApiModel, OpenWord, Reason, Timestamp
from arraywright.link.protocol import EventClass, ObjectKind


class AlertState(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class AlertRuleName(StrEnum):
    VIRTUAL_DRIVE_DEGRADED = "virtual_drive_degraded"
    VIRTUAL_DRIVE_OFFLINE = "virtual_drive_offline"
    DRIVE_FAILED = "drive_failed"
    DRIVE_MISSING = "drive_missing"
    DRIVE_PREDICTIVE_FAILURE = "drive_predictive_failure"
    REBUILD_FAILED = "rebuild_failed"
    HOST_OFFLINE = "host_offline"
    HOST_RESTORED = "host_restored"
    HOST_CLONED = "host_cloned"
    BATTERY_FAILED = "battery_failed"
    BATTERY_MISSING = "battery_missing"
    BATTERY_NOT_READY = "battery_not_ready"
    BATTERY_LEARN = "battery_learn"
    UPS_ON_BATTERY = "ups_on_battery"
    WRITE_POLICY_LOWERED = "write_policy_lowered"
    WRITE_BACK_UNPROTECTED = "write_back_unprotected"
    WRITES_LOST = "writes_lost"
    CACHE_PRESERVED = "cache_preserved"
    CACHE_FAILED = "cache_failed"
    HOST_NOISY = "host_noisy"
    HOST_SENT_NONSENSE = "host_sent_nonsense"


class AlertRule(ApiModel):
    name: AlertRuleName
    title: str
    cause: str
    consequence: str
    next_step: str


class Alert(ApiModel):
    id: UUID
    rev: int
    rule: OpenWord[AlertRuleName]
    severity: OpenWord[EventClass]
    state: AlertState
    host_id: UUID
    host_name: str
    object_kind: OpenWord[ObjectKind]
    object_id: UUID
    object_key: str
    object_path: Annotated[str, Field(description="/c0/v0, or the host's name")]
    reason: Annotated[Reason, Field(description="what is wrong, in one sentence")]
    title: str
    cause: str
    consequence: str
    next_step: str
    opened_at: Timestamp
    changed_at: Timestamp
    acknowledged_at: Timestamp | None
    acknowledged_by: str | None
    note: str | None
    resolved_at: Timestamp | None
    blocked: Annotated[
        dict[str, Reason], Field(description="acknowledge -> why you cannot do it now")
    ]
    stale: Annotated[bool, Field(description="its host is offline: the present state is unknown")]


class AlertAcknowledge(ApiInput):
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = ""
