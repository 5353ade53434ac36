"""Changes on their way to the live streams: written with the change, sent after commit."""

from uuid import UUID

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base, SequenceKey


class OutboxItem(Base):
    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(SequenceKey, primary_key=True, autoincrement=True)
    host_id: Mapped[UUID | None]
    kind: Mapped[str] = mapped_column(String(32))
    object_id: Mapped[str] = mapped_column(String(64))
    rev: Mapped[int]
