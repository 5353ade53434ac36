"""One database behind two doors: `read()` and `write()`.

SQLite has a single writer. `write()` therefore queues inside the process and begins with
BEGIN IMMEDIATE, so a transaction never finds out half-way that another one was faster.
On PostgreSQL both doors are ordinary transactions.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, BigInteger, Integer, MetaData, Uuid, event
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase

Document = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
SequenceKey = BigInteger().with_variant(Integer(), "sqlite")


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {
        UUID: Uuid(),
        int: BigInteger(),
        dict[str, Any]: Document,
        list[Any]: Document,
    }


def _tune_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=15000",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def create_engine(url: str) -> AsyncEngine:
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_async_engine(parsed, pool_size=8, max_overflow=8)
        event.listen(engine.sync_engine, "connect", _tune_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
        return engine
    return create_async_engine(parsed, pool_size=10, max_overflow=10, pool_pre_ping=True)


class Database:
    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._writing = self.engine.execution_options(immediate=True)
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        async with AsyncSession(self.engine, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        """Commits when the block ends well, rolls back otherwise."""
        queue = self._lock if self.is_sqlite else contextlib.nullcontext()
        async with (
            queue,
            AsyncSession(self._writing, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    async def close(self) -> None:
        await self.engine.dispose()
