"""All tables, for migrations."""

from arraywright.alerts.models import Alert
from arraywright.audit.models import AuditEntry
from arraywright.auth.models import ApiToken, UiSession, User
from arraywright.commands.models import Command, Idempotency
from arraywright.events.models import Event
from arraywright.hosts.models import EnrolToken, Host, HostSummary, HostTally
from arraywright.kit.database import Base
from arraywright.lab.models import SavedScenario
from arraywright.link.models import Installation, SyncCursor
from arraywright.live.models import OutboxItem
from arraywright.metrics.models import MetricPoint
from arraywright.storage.models import ObjectState

__all__ = [
    "Alert",
    "ApiToken",
    "AuditEntry",
    "Base",
    "Command",
    "EnrolToken",
    "Event",
    "Host",
    "HostSummary",
    "HostTally",
    "Idempotency",
    "Installation",
    "MetricPoint",
    "ObjectState",
    "OutboxItem",
    "SavedScenario",
    "SyncCursor",
    "UiSession",
    "User",
]
