"""Alerts, open and past."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class Alert(Base):
    """`open_key` is rule and object while it is not resolved: at most one at a time."""

    __tablename__ = "alert"
    __table_args__ = (
        Index("ix_alert_opened_us_id", "opened_us", "id"),
        Index("ix_alert_host_id_state", "host_id", "state"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    rev: Mapped[int] = mapped_column(default=1)
    open_key: Mapped[str | None] = mapped_column(String(128), unique=True)
    rule: Mapped[str] = mapped_column(String(64))
    severity: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16))
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    object_kind: Mapped[str] = mapped_column(String(32))
    object_key: Mapped[str] = mapped_column(String(64))
    object_id: Mapped[UUID] = mapped_column(index=True)
    object_path: Mapped[str] = mapped_column(String(255))
    group_id: Mapped[UUID | None] = mapped_column(default=None)
    reason: Mapped[dict[str, Any]]
    opened_us: Mapped[int]
    changed_us: Mapped[int]
    acknowledged_us: Mapped[int | None] = mapped_column(default=None)
    acknowledged_by: Mapped[str | None] = mapped_column(String(64), default=None)
    note: Mapped[str | None] = mapped_column(Text, default=None)
    resolved_us: Mapped[int | None] = mapped_column(default=None)
