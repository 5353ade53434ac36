"""How far we are with each agent, and who we are."""

from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class SyncCursor(Base):
    """`fence` grows with every hello; whatever an older session still brings is refused."""

    __tablename__ = "sync_cursor"

    host_id: Mapped[UUID] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    fence: Mapped[int] = mapped_column(default=0)
    state_epoch: Mapped[str] = mapped_column(String(36), default="")
    state_rev: Mapped[int] = mapped_column(default=0)
    event_epoch: Mapped[str] = mapped_column(String(36), default="")
    event_seq: Mapped[int] = mapped_column(default=0)
    command_number: Mapped[int] = mapped_column(default=0)


class Installation(Base):
    """Facts of this installation, first of all its `server_id`."""

    __tablename__ = "installation"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(String(255))
