"""One database behind two doors: `read()` and `write()`.

SQLite has a single writer. `write()` therefore queues inside the process and begins with
BEGIN IMMEDIATE, so a transaction never finds out half-way that another one was faster.
On PostgreSQL both doors are ordinary transactions.

Both take a set of hosts: whatever the session asks for then, only rows of these hosts are there.
A caller that is limited to hosts cannot reach another one, whichever statement is made.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Set
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from pydantic_core import from_json, to_json
from sqlalchemy import JSON, BigInteger, Integer, MetaData, Uuid, event
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, ORMExecuteState, Session, with_loader_criteria

from arraywright.kit import sqlite
from arraywright.kit.peer import acting_as, peer_of

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


def _to_text(document: Any) -> str:
    try:
        return to_json(document).decode()
    except ValueError:  # halves of characters
        return json.dumps(document)


def _from_text(text: str | bytes) -> Any:
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)


JSON_FUNCTIONS: dict[str, Any] = {
    "json_serializer": _to_text,
    "json_deserializer": _from_text,
}


def create_engine(url: str) -> AsyncEngine:
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_async_engine(
            parsed,
            pool_size=8,
            max_overflow=8,
            connect_args={"async_creator_fn": sqlite.connect},
            **JSON_FUNCTIONS,
        )
        event.listen(engine.sync_engine, "connect", _tune_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
        return engine
    return create_async_engine(
        parsed, pool_size=10, max_overflow=10, pool_pre_ping=True, **JSON_FUNCTIONS
    )


Hosts = Set[UUID] | None
"""None: all of them."""
_HOSTS = "hosts"
NEWS = "news"
"""What is to be told once the session has committed, see `live.outbox`."""


def is_limited(session: AsyncSession) -> bool:
    """Whether it sees rows of some hosts only."""
    return session.info.get(_HOSTS) is not None


class _Session(Session):
    """Sees rows of the hosts in its `info` only."""


def _host_column(entity: Any) -> Any:
    """What says to which host a row belongs; None if it belongs to none."""
    if hasattr(entity, "host_of_row"):
        return entity.host_of_row()
    column = entity.__table__.columns.get("host_id")
    return None if column is None or column.nullable else entity.host_id


@event.listens_for(_Session, "do_orm_execute")
def _limit_to_hosts(state: ORMExecuteState) -> None:
    hosts = state.session.info.get(_HOSTS)
    if hosts is None or not (state.is_select or state.is_update or state.is_delete):
        return
    limits = []
    for mapper in Base.registry.mappers:
        column = _host_column(mapper.class_)
        if column is not None:
            limits.append(with_loader_criteria(mapper.class_, column.in_(hosts)))
    state.statement = state.statement.options(*limits)


def _connect_as_peer(engine: AsyncEngine) -> None:
    peer = peer_of(engine.url)
    if peer is None:
        return

    @event.listens_for(engine.sync_engine, "do_connect")
    def connect(dialect: Any, _record: Any, arguments: Any, parameters: Any) -> Any:
        with acting_as(peer):
            return dialect.connect(*arguments, **parameters)


class Database:
    def __init__(self, url: str, *, as_peer: bool = False) -> None:
        """`as_peer`: for root on the command line, see `kit.peer`."""
        self.engine = create_engine(url)
        if as_peer:
            _connect_as_peer(self.engine)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._writing = self.engine.execution_options(immediate=True)
        self._lock = asyncio.Lock()
        self.publish: Callable[[list[Any]], None] | None = None
        """Told the news of each transaction, right after its commit."""

    @asynccontextmanager
    async def read(self, hosts: Hosts = None) -> AsyncIterator[AsyncSession]:
        async with self._session(self.engine, hosts) as session:
            yield session

    @asynccontextmanager
    async def write(self, hosts: Hosts = None) -> AsyncIterator[AsyncSession]:
        """Commits when the block ends well, rolls back otherwise."""
        queue = self._lock if self.is_sqlite else contextlib.nullcontext()
        async with (
            queue,
            self._session(self._writing, hosts) as session,
        ):
            news: list[Any] = []
            if self.publish is not None:
                session.info[NEWS] = news
            async with session.begin():
                yield session
            if news and self.publish is not None:
                self.publish(news)

    @staticmethod
    def _session(engine: AsyncEngine, hosts: Hosts) -> AsyncSession:
        return AsyncSession(
            engine,
            expire_on_commit=False,
            sync_session_class=_Session,
            info={_HOSTS: hosts},
        )

    async def close(self) -> None:
        await self.engine.dispose()
