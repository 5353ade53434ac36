"""Events as hosts reported them."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base, SequenceKey


class Event(Base):
    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("host_id", "epoch", "seq"),
        Index("ix_event_host_id_id", "host_id", "id"),
        Index("ix_event_object_id_id", "object_id", "id"),
    )

    id: Mapped[int] = mapped_column(SequenceKey, primary_key=True, autoincrement=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    epoch: Mapped[str] = mapped_column(String(36))
    seq: Mapped[int]
    wall_us: Mapped[int]
    received_us: Mapped[int] = mapped_column(index=True)
    code: Mapped[int]
    name: Mapped[str] = mapped_column(String(64))
    class_value: Mapped[int]
    locale: Mapped[int]
    object_kind: Mapped[str] = mapped_column(String(32))
    object_key: Mapped[str] = mapped_column(String(128))
    object_id: Mapped[UUID]
    params: Mapped[dict[str, Any]]
    text: Mapped[str] = mapped_column(Text)
