"""Commands and the idempotency keys of their callers."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class Command(Base):
    __tablename__ = "command"
    __table_args__ = (
        UniqueConstraint("host_id", "number"),
        Index("ix_command_state_host", "state", "host_id", "number"),
        Index("ix_command_created_us_id", "created_us", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    rev: Mapped[int] = mapped_column(default=1)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    number: Mapped[int]
    op: Mapped[str] = mapped_column(String(64))
    command_class: Mapped[str] = mapped_column(String(1))
    args: Mapped[dict[str, Any]]
    confirm: Mapped[str | None] = mapped_column(String(255))
    preconditions: Mapped[list[Any]]
    target_kind: Mapped[str] = mapped_column(String(32))
    target_key: Mapped[str] = mapped_column(String(64))
    target_id: Mapped[UUID] = mapped_column(index=True)
    actor_id: Mapped[UUID]
    actor: Mapped[str] = mapped_column(String(64))
    actor_role: Mapped[str] = mapped_column(String(16))
    via: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16))
    reason: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    progress_percent: Mapped[int | None] = mapped_column(default=None)
    objects: Mapped[list[Any]]
    created_us: Mapped[int]
    not_after_us: Mapped[int]
    offered_us: Mapped[int | None] = mapped_column(default=None)
    accepted_us: Mapped[int | None] = mapped_column(default=None)
    ended_us: Mapped[int | None] = mapped_column(default=None)


class Idempotency(Base):
    """What a caller's Idempotency-Key led to, for a day."""

    __tablename__ = "idempotency"

    actor_id: Mapped[UUID] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    request_hash: Mapped[str] = mapped_column(String(64))
    command_id: Mapped[UUID] = mapped_column(ForeignKey("command.id", ondelete="CASCADE"))
    expires_us: Mapped[int] = mapped_column(index=True)
