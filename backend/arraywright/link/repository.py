"""Statements of the link: bulk writes without the ORM."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import bindparam, delete, func, insert, select, text, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from arraywright.events.models import Event
from arraywright.link.models import Installation, SyncCursor
from arraywright.storage.models import ObjectState
from arraywright.storage.projection import own_words

CHUNK = 500
KEY_COLUMNS = ("host_id", "kind", "key")
REPORTED = ("rev", "config_rev", "life", "changed_us", "doc")
PROJECTED = (
    *(
        name
        for name in ObjectState.__mapper__.columns.keys()  # noqa: SIM118 (not a dict)
        if name not in (*KEY_COLUMNS, *REPORTED, "id", "host_name", "search")
    ),
    "search",
)

_STORED = [ObjectState.__table__.c[name] for name in (*KEY_COLUMNS, *PROJECTED)]
_SELECTED = ", ".join(f"o.{column.name}" for column in _STORED)
# Many keys of three columns: SQLite reads the whole table for a list of tuples.
_STORED_SQLITE = text(f"""
    SELECT {_SELECTED} FROM json_each(:names) AS n CROSS JOIN object_state AS o
    ON o.host_id = n.value ->> 0 AND o.kind = n.value ->> 1 AND o.key = n.value ->> 2
""").columns(*_STORED)  # noqa: S608 (names of columns)
_STORED_POSTGRES = text(f"""
    SELECT {_SELECTED} FROM json_array_elements(CAST(:names AS json)) AS n
    JOIN object_state AS o
    ON o.host_id = CAST(n ->> 0 AS uuid) AND o.kind = n ->> 1 AND o.key = n ->> 2
""").columns(*_STORED)  # noqa: S608 (names of columns)


_CURSORS = (
    select(SyncCursor)
    .where(SyncCursor.host_id.in_(bindparam("hosts", expanding=True)))
    .order_by(SyncCursor.host_id)
    .with_for_update()
)


async def cursors(session: AsyncSession, host_ids: Collection[UUID]) -> dict[UUID, SyncCursor]:
    """Cursors of several hosts, locked in the order of their ids."""
    found = await session.execute(_CURSORS, {"hosts": list(host_ids)})
    return {row.host_id: row for row in found.scalars()}


async def cursor(session: AsyncSession, host_id: UUID) -> SyncCursor | None:
    """The host's cursor, locked until the transaction ends."""
    return (await cursors(session, [host_id])).get(host_id)


async def fences(session: AsyncSession, host_ids: Collection[UUID]) -> dict[UUID, int]:
    """The fences of the present sessions of these hosts, locked in the order of their ids."""
    found: dict[UUID, int] = {}
    every = sorted(host_ids, key=str)
    for first in range(0, len(every), CHUNK):
        rows = await cursors(session, every[first : first + CHUNK])
        found |= {host_id: row.fence for host_id, row in rows.items()}
    return found


def _upsert(maker: Any) -> Any:
    statement = maker(ObjectState.__table__)
    changes = {
        name: statement.excluded[name]
        for name in ObjectState.__mapper__.columns.keys()  # noqa: SIM118 (not a dict)
        if name not in KEY_COLUMNS
    }
    return statement.on_conflict_do_update(index_elements=list(KEY_COLUMNS), set_=changes)


# Made once: what a statement of so many columns is compiled by costs more than a row.
_UPSERT_SQLITE = _upsert(sqlite.insert)
_UPSERT_POSTGRES = _upsert(postgresql.insert)
_REPLACE = (
    update(ObjectState)
    .where(*(ObjectState.__table__.c[name] == bindparam(f"of_{name}") for name in KEY_COLUMNS))
    .values({name: bindparam(f"new_{name}") for name in REPORTED})
)
_OF = [(name, f"of_{name}") for name in KEY_COLUMNS]
_NEW = [(name, f"new_{name}") for name in REPORTED]


def _is_postgres(session: AsyncSession) -> bool:
    return session.get_bind().dialect.name == "postgresql"


async def upsert_objects(session: AsyncSession, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection = await session.connection()
        await connection.execute(
            _UPSERT_POSTGRES if _is_postgres(session) else _UPSERT_SQLITE, rows
        )


async def projections(
    session: AsyncSession, names: Collection[tuple[UUID, str, str]]
) -> dict[tuple[UUID, str, str], tuple[Any, ...]]:
    """What is stored beside the documents of these objects, without what is about the host."""
    if not names:
        return {}
    postgres = _is_postgres(session)
    listed = to_json([(host if postgres else host.hex, *rest) for host, *rest in names]).decode()
    statement = _STORED_POSTGRES if postgres else _STORED_SQLITE
    connection = await session.connection()
    rows = await connection.execute(statement, {"names": listed})
    return {(row[0], row[1], row[2]): (*row[3:-1], own_words(row[-1])) for row in rows}


async def replace_documents(session: AsyncSession, rows: list[dict[str, Any]]) -> None:
    """Of objects whose other columns stay as they are."""
    if not rows:
        return
    connection = await session.connection()
    await connection.execute(
        _REPLACE,
        [
            {given: row[name] for name, given in _OF} | {given: row[name] for name, given in _NEW}
            for row in rows
        ],
    )


async def live_objects(
    session: AsyncSession, host_ids: Collection[UUID]
) -> list[tuple[UUID, str, str]]:
    if not host_ids:
        return []
    found = await session.execute(
        select(ObjectState.host_id, ObjectState.kind, ObjectState.key).where(
            ObjectState.host_id.in_(host_ids), ObjectState.deleted.is_(False)
        )
    )
    return [(host_id, kind, key) for host_id, kind, key in found]


async def objects_named(
    session: AsyncSession, host_id: UUID, names: Collection[tuple[str, str]]
) -> list[ObjectState]:
    found = await session.execute(
        select(ObjectState)
        .where(
            ObjectState.host_id == host_id,
            ObjectState.key.in_({key for _, key in names if "\x00" not in key}),
            ObjectState.deleted.is_(False),
        )
        .execution_options(populate_existing=True)
    )
    return [item for item in found.scalars() if (item.kind, item.key) in names]


async def count_objects(
    session: AsyncSession, host_id: UUID, known: Collection[str]
) -> tuple[int, int, int]:
    """How many objects of kinds we know, of other kinds, and tombstones a host has."""
    found = await session.execute(
        select(ObjectState.kind, ObjectState.deleted, func.count())
        .where(ObjectState.host_id == host_id)
        .group_by(ObjectState.kind, ObjectState.deleted)
    )
    here = unknown = dead = 0
    for kind, deleted, count in found.all():
        if deleted:
            dead += count
        elif kind in known:
            here += count
        else:
            unknown += count
    return here, unknown, dead


async def forget_tombstones(session: AsyncSession, host_id: UUID, count: int) -> None:
    """The oldest ones."""
    oldest = (
        select(ObjectState.kind, ObjectState.key)
        .where(ObjectState.host_id == host_id, ObjectState.deleted.is_(True))
        .order_by(ObjectState.changed_us, ObjectState.kind, ObjectState.key)
        .limit(count)
    )
    await session.execute(
        delete(ObjectState).where(
            ObjectState.host_id == host_id,
            tuple_(ObjectState.kind, ObjectState.key).in_(oldest),
            ObjectState.deleted.is_(True),
        )
    )


async def bury(
    session: AsyncSession, host_id: UUID, kind: str, key: str, *, rev: int, now_us: int
) -> bool:
    """Marks an object as gone; False if it was not there."""
    done = await session.execute(
        update(ObjectState)
        .where(
            ObjectState.host_id == host_id,
            ObjectState.kind == kind,
            ObjectState.key == key,
            ObjectState.deleted.is_(False),
        )
        .values(deleted=True, rev=rev, changed_us=now_us)
        .returning(ObjectState.key)
    )
    return done.one_or_none() is not None


async def insert_events(session: AsyncSession, rows: list[dict[str, Any]]) -> None:
    if rows:
        await session.execute(insert(Event), rows)


async def installation_value(session: AsyncSession, key: str) -> str | None:
    found = await session.get(Installation, key)
    return found.value if found else None


def add_installation_value(session: AsyncSession, key: str, value: str) -> None:
    session.add(Installation(key=key, value=value))
