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


class ServerRule(StrEnum):
    """Alerts about what only this server can see."""

    HOST_OFFLINE = "host_offline"
    HOST_NEVER_CONNECTED = "host_never_connected"
    HOST_RESTORED = "host_restored"
    HOST_CLONED = "host_cloned"
    HOST_NOISY = "host_noisy"
    HOST_SENT_NONSENSE = "host_sent_nonsense"
    CLOCK_OFF = "clock_off"


AlertRuleName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9_]{1,64}$"),
    Field(description="a finding of the agents or a rule of this server; see /alert-rules"),
]


class AlertRule(ApiModel):
    name: AlertRuleName
    title: str
    what: Annotated[str, Field(description="the sentence, with its parameters in braces")]
    consequence: str
    next_step: str


class Alert(ApiModel):
    id: UUID
    rev: int
    rule: AlertRuleName
    severity: OpenWord[EventClass]
    state: AlertState
    host_id: UUID
    host_name: Annotated[str, Field(description="its label: no other host is called so")]
    object_kind: OpenWord[ObjectKind]
    object_id: UUID
    object_key: str
    object_path: Annotated[str, Field(description="/c0/v0, or the host's name")]
    reason: Annotated[Reason, Field(description="what is wrong, in one sentence")]
    title: str
    cause: Annotated[Reason | None, Field(description="why; null if there is no more to say")]
    consequence: Annotated[Reason | None, Field(description="what follows from it")]
    next_step: Annotated[Reason | None, Field(description="what to do about it")]
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
