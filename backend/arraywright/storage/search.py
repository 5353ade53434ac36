"""Parts of names, serial numbers and the like, found by an index of all runs of three characters.

SQLite: the tables `object_search` and `object_match`, which triggers keep in step with the objects,
see migration 0012. An entry's number begins with that of its kind, so that a search reads one kind.

PostgreSQL: an index of the extension pg_trgm, made by `prepare` if the account may do that. It has
a schema of its own: that of the tables is renamed when a backup is restored. Without it, and for
fewer than three characters, all objects of the kind are read.
"""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Integer, Uuid, column, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from arraywright.kit.database import Database, is_limited
from arraywright.storage.models import ObjectState

KINDS = ("controller", "enclosure", "drive", "drive_group", "virtual_drive", "battery")
ENTRIES = 1 << 40
SHORTEST = 3
FEW = 2000
"""So many are put in order one by one; of more, the first ones are soon met in a list that is."""
MOST_COUNTED = 10_000
"""Nobody looks through more, and counting all would cost more than the page."""
SCHEMA = "arraywright_search"
INDEX = "ix_object_state_search"
TABLES = ("object_search", "object_match")

_MATCHES = """
    SELECT rowid FROM object_match
    WHERE object_match MATCH :phrase AND rowid > :first AND rowid < :last
"""
_FOUND = text(
    f"SELECT object_id FROM object_search WHERE id IN ({_MATCHES})"  # noqa: S608 (our own words)
).columns(column("object_id", Uuid()))
_COUNTED = text(
    f"SELECT count(*) AS number FROM ({_MATCHES} LIMIT :most)"  # noqa: S608 (our own words)
).columns(column("number", Integer))

_INDEXED = text(f"SELECT to_regclass('{INDEX}')")
_PLACE = text(
    "SELECT quote_ident(nspname) FROM pg_extension "
    "JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'"
)


@dataclass(frozen=True, slots=True)
class Search:
    condition: ColumnElement[bool] | None = None
    among: ColumnElement[bool] | None = None
    """Instead of a condition: true for what is found, and for nothing of another kind."""
    number: int | None = None
    """Of all objects of the kind that are found, where it is known."""
    is_many: bool = False
    """More than anybody counts."""
    is_counted: bool = True
    """Whether counting them is worth what it costs."""


def _like(words: str) -> ColumnElement[bool]:
    return ObjectState.search.contains(words, autoescape=True)


async def search(session: AsyncSession, kind: str, words: str) -> Search:
    words = words.lower()
    if len(words) < SHORTEST:
        return Search(_like(words), is_counted=False)
    if session.get_bind().dialect.name != "sqlite":
        return Search(_like(words))
    first = (KINDS.index(kind) + 1) * ENTRIES
    quoted = words.replace('"', '""')
    asked: dict[str, str | int] = {"phrase": f'"{quoted}"', "first": first, "last": first + ENTRIES}
    few = await _number(session, asked, FEW + 1)
    if few <= FEW:
        return Search(among=ObjectState.id.in_(_FOUND.bindparams(**asked)))
    # An answer to a caller that is limited to hosts must not tell of others.
    if is_limited(session):
        return Search(_like(words))
    number = await _number(session, asked, MOST_COUNTED + 1)
    if number > MOST_COUNTED:
        return Search(_like(words), is_many=True)
    return Search(_like(words), number=number)


async def _number(session: AsyncSession, asked: dict[str, str | int], most: int) -> int:
    found = await session.execute(_COUNTED, {**asked, "most": most})
    return int(found.scalar_one())


async def prepare(database: Database) -> str | None:
    """Makes the index of PostgreSQL; returns why there is none."""
    if database.is_sqlite:
        return None
    try:
        async with database.engine.begin() as connection:
            await _make_index(connection)
    except DBAPIError as error:
        return str(error.orig).rpartition(">: ")[2]
    return None


async def is_prepared(session: AsyncSession) -> bool:
    if session.get_bind().dialect.name == "sqlite":
        return True
    return (await session.execute(_INDEXED)).scalar_one() is not None


async def _make_index(connection: AsyncConnection) -> None:
    if (await connection.execute(_INDEXED)).scalar_one() is not None:
        return
    if (await connection.execute(_PLACE)).scalar_one_or_none() is None:
        await connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        await connection.exec_driver_sql(f"CREATE EXTENSION pg_trgm WITH SCHEMA {SCHEMA}")
    place = (await connection.execute(_PLACE)).scalar_one()
    await connection.exec_driver_sql(
        f"CREATE INDEX {INDEX} ON object_state USING gin (search {place}.gin_trgm_ops) "
        "WHERE deleted IS false"
    )
