"""Users, their sessions and their API tokens."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from arraywright.kit.database import Base


class User(Base):
    __tablename__ = "user_account"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    rev: Mapped[int] = mapped_column(default=1)
    username: Mapped[str] = mapped_column(String(32), unique=True)
    display_name: Mapped[str] = mapped_column(String(64), default="")
    role: Mapped[str] = mapped_column(String(16))
    password_hash: Mapped[str] = mapped_column(String(255))
    disabled: Mapped[bool] = mapped_column(default=False)
    created_us: Mapped[int]
    last_login_us: Mapped[int | None] = mapped_column(default=None)


class UiSession(Base):
    __tablename__ = "ui_session"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("user_account.id", ondelete="CASCADE"), index=True
    )
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    csrf_token: Mapped[str] = mapped_column(String(64))
    created_us: Mapped[int]
    expires_us: Mapped[int] = mapped_column(index=True)


class ApiToken(Base):
    __tablename__ = "api_token"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("user_account.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str] = mapped_column(String(64))
    prefix: Mapped[str] = mapped_column(String(16))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    read_only: Mapped[bool] = mapped_column(default=False)
    host_ids: Mapped[list[Any]] = mapped_column(default=list)
    """What it is limited to, as texts; empty: all hosts."""
    parent_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("api_token.id", ondelete="CASCADE"), default=None, index=True
    )
    created_us: Mapped[int] = mapped_column(index=True)
    expires_us: Mapped[int | None] = mapped_column(default=None)
    last_used_us: Mapped[int | None] = mapped_column(default=None)
