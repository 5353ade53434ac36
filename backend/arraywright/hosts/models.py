"""Hosts, their figures and the tokens that let new ones in."""

from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Exists,
    ForeignKey,
    Index,
    String,
    case,
    cast,
    exists,
    func,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import InstrumentedAttribute, Mapped, aliased, mapped_column

from arraywright.kit.database import Base
from arraywright.kit.presence import HERE, Presence

LABEL_CHARACTERS = 8


class Host(Base):
    __tablename__ = "host"
    # A page of the list is read in this index alone.
    __table_args__ = (Index("ix_host_place", "retired_us", "name", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(255), index=True)
    public_key: Mapped[str] = mapped_column(String(512))
    machine_id_hash: Mapped[str] = mapped_column(String(64))
    enrolled_us: Mapped[int]
    enrol_token_id: Mapped[UUID | None] = mapped_column(default=None, index=True)
    labels: Mapped[list[Any]] = mapped_column(default=list)
    retired_us: Mapped[int | None] = mapped_column(default=None)

    @classmethod
    def host_of_row(cls) -> InstrumentedAttribute[UUID]:
        """A host belongs to itself, see `kit.database`."""
        return cls.id


def namesake() -> Exists:
    """Whether another host has the name of this one."""
    other = aliased(Host)
    return exists().where(other.name == Host.name, other.id != Host.id, other.retired_us.is_(None))


def shown_name() -> ColumnElement[str]:
    """What a host is called wherever it is named; see `label`."""
    start = func.substr(cast(Host.id, String), 1, LABEL_CHARACTERS)
    return case((namesake(), Host.name + " (" + start + ")"), else_=Host.name)


def label(host: Host, *, has_namesake: bool) -> str:
    """What tells this host from every other one: the start of its id never changes."""
    return f"{host.name} ({str(host.id)[:LABEL_CHARACTERS]})" if has_namesake else host.name


class HostSummary(Base):
    """One narrow row per host: what lists and counters need."""

    __tablename__ = "host_summary"
    __table_args__ = (Index("ix_host_summary_presence", "presence", "last_seen_us"),)

    host_id: Mapped[UUID] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    rev: Mapped[int] = mapped_column(default=1)
    presence: Mapped[str] = mapped_column(String(16), default=Presence.ENROLLED.value)
    last_seen_us: Mapped[int | None] = mapped_column(default=None)
    connected_us: Mapped[int | None] = mapped_column(default=None)
    clock_offset_ms: Mapped[int | None] = mapped_column(default=None)
    agent_version: Mapped[str] = mapped_column(String(64), default="")
    boot_id: Mapped[str] = mapped_column(String(64), default="")
    policy_preset: Mapped[str] = mapped_column(String(32), default="")
    worst_state: Mapped[str | None] = mapped_column(String(32), default=None)
    controllers: Mapped[int] = mapped_column(default=0)
    drives: Mapped[int] = mapped_column(default=0)
    drives_unconfigured: Mapped[int] = mapped_column(default=0)
    drives_failed: Mapped[int] = mapped_column(default=0)
    hot_spares: Mapped[int] = mapped_column(default=0)
    drive_groups: Mapped[int] = mapped_column(default=0)
    virtual_drives: Mapped[int] = mapped_column(default=0)
    virtual_drives_degraded: Mapped[int] = mapped_column(default=0)
    virtual_drives_offline: Mapped[int] = mapped_column(default=0)
    drive_failures_left: Mapped[int | None] = mapped_column(default=None)
    operations_running: Mapped[int] = mapped_column(default=0)
    raw_bytes: Mapped[int] = mapped_column(default=0)
    usable_bytes: Mapped[int] = mapped_column(default=0)
    open_alerts: Mapped[int] = mapped_column(default=0)
    worst_alert: Mapped[str | None] = mapped_column(String(16), default=None)

    @hybrid_property
    def online(self) -> bool:
        """Whether it can be asked and told things."""
        return self.presence in HERE

    @online.inplace.expression
    @classmethod
    def _online(cls) -> ColumnElement[bool]:
        return cls.presence.in_(HERE)


class HostTally(Base):
    """How many objects of a kind and state a host has, for the figures of the fleet."""

    __tablename__ = "host_tally"
    __table_args__ = (Index("ix_host_tally_kind", "kind", "state", "count", "size_bytes"),)

    host_id: Mapped[UUID] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str] = mapped_column(String(32), primary_key=True)
    state: Mapped[str] = mapped_column(String(32), primary_key=True)
    count: Mapped[int]
    size_bytes: Mapped[int]


class EnrolToken(Base):
    __tablename__ = "enrol_token"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    prefix: Mapped[str] = mapped_column(String(16))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created_by: Mapped[str] = mapped_column(String(64))
    created_us: Mapped[int] = mapped_column(index=True)
    expires_us: Mapped[int]
    max_uses: Mapped[int | None] = mapped_column(default=None)
    uses: Mapped[int] = mapped_column(default=0)
    labels: Mapped[list[Any]] = mapped_column(default=list)
    used_us: Mapped[int | None] = mapped_column(default=None)
    host_id: Mapped[UUID | None] = mapped_column(default=None)
    revoked_us: Mapped[int | None] = mapped_column(default=None)
