"""The latest document of everything a host reports."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base

LARGEST_FIRST = "ix_object_state_largest"
"""An index in the order of `sort=-size`, made by migration 0014: Alembic cannot compare one that
has a falling column with these models."""


class ObjectState(Base):
    """The document is as the host sent it; the other columns are what lists ask for."""

    __tablename__ = "object_state"
    __table_args__ = (
        # Not for questions about the kind alone, hence partial.
        Index(
            "ix_object_state_kind_group",
            *("kind", "drive_group_id"),
            sqlite_where=text("drive_group_id IS NOT NULL"),
            postgresql_where=text("drive_group_id IS NOT NULL"),
        ),
        Index("ix_object_state_host_kind", "host_id", "kind", "sort"),
        # A page of a list is read, counted and searched in one of these alone. `deleted` is no
        # column of them: SQLite would take it for questions about a single host.
        Index(
            "ix_object_state_kind_state",
            *("kind", "state", "host_name", "sort", "id"),
            sqlite_where=text("deleted IS 0"),
            postgresql_where=text("deleted IS false"),
        ),
        Index(
            "ix_object_state_place",
            *("kind", "host_name", "sort", "id", "state", "size_bytes", "level"),
            *("failures_left", "title", "serial", "search"),
            sqlite_where=text("deleted IS 0"),
            postgresql_where=text("deleted IS false"),
        ),
    )

    host_id: Mapped[UUID] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str] = mapped_column(String(32), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[UUID] = mapped_column(index=True)
    rev: Mapped[int]
    config_rev: Mapped[int]
    life: Mapped[str] = mapped_column(String(8))
    deleted: Mapped[bool] = mapped_column(default=False)
    changed_us: Mapped[int]
    doc: Mapped[dict[str, Any]]
    state: Mapped[str | None] = mapped_column(String(32), default=None)
    level: Mapped[str | None] = mapped_column(String(16), default=None)
    word: Mapped[str | None] = mapped_column(String(32), default=None)
    controller_id: Mapped[UUID | None] = mapped_column(default=None)
    enclosure_id: Mapped[UUID | None] = mapped_column(default=None)
    drive_group_id: Mapped[UUID | None] = mapped_column(default=None)
    target_id: Mapped[UUID | None] = mapped_column(default=None)
    size_bytes: Mapped[int] = mapped_column(default=0)
    failures_left: Mapped[int | None] = mapped_column(default=None)
    host_name: Mapped[str] = mapped_column(String(255), default="")
    """The host's own name, which lists are in the order of."""
    sort: Mapped[str] = mapped_column(String(128), default="")
    search: Mapped[str] = mapped_column(Text, default="")
    title: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The name, or else the model."""
    serial: Mapped[str] = mapped_column(String(64), default="", server_default="")
