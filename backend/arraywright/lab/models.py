"""Comparisons that somebody saved: what is simulated, not the figures; those come again."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class SavedScenario(Base):
    __tablename__ = "saved_scenario"
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("user_account.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(120))
    scenario: Mapped[dict[str, Any]]
    created_us: Mapped[int]
