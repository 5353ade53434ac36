"""How far we are with each agent, and who we are."""

from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base
from arraywright.kit.revisions import new_life


class SyncCursor(Base):
    """`fence` grows with every hello; whatever an older session still brings is refused.

    `fences` is what the host may hold, see `identity`; `fence_replaced` what the one before held
    when a copy took its place. `event_branch` is the name under which the events of this epoch
    are stored, empty if it is the epoch itself; up to `event_known` some may be stored under an
    earlier name, see `history`. `life` names the present run of revisions, see `kit.revisions`.
    """

    __tablename__ = "sync_cursor"

    host_id: Mapped[UUID] = mapped_column(
        ForeignKey("host.id", ondelete="CASCADE"), primary_key=True
    )
    fence: Mapped[int] = mapped_column(default=0)
    state_epoch: Mapped[str] = mapped_column(String(36), default="")
    state_rev: Mapped[int] = mapped_column(default=0)
    event_epoch: Mapped[str] = mapped_column(String(36), default="")
    event_seq: Mapped[int] = mapped_column(default=0)
    event_branch: Mapped[str] = mapped_column(String(36), default="")
    event_known: Mapped[int] = mapped_column(default=0)
    fences: Mapped[str] = mapped_column(String(200), default="")
    fence_replaced: Mapped[str] = mapped_column(String(64), default="")
    command_number: Mapped[int] = mapped_column(default=0)
    life: Mapped[str] = mapped_column(String(8), default=new_life)


class Installation(Base):
    """Facts of this installation, first of all its `server_id`."""

    __tablename__ = "installation"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(String(255))
