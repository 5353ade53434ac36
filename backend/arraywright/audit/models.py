"""The audit trail: rows are only ever added."""

from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class AuditEntry(Base):
    __tablename__ = "audit"

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at_us: Mapped[int]
    actor: Mapped[str] = mapped_column(String(64), index=True)
    action: Mapped[str] = mapped_column(String(64), index=True)
    target: Mapped[str] = mapped_column(String(255))
    outcome: Mapped[str] = mapped_column(String(32))
    detail: Mapped[dict[str, Any]]
    address: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))
