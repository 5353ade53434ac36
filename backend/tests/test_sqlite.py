"""The trips to a connection's thread, and that no row is lost by making fewer of them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from arraywright.kit import sqlite
from arraywright.kit.database import Database

pytestmark = pytest.mark.anyio
MANY = text(
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < :most) "
    "SELECT i FROM n"
)


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}")
    yield database
    await database.close()


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made: list[str] = []
    execute: Any = sqlite.Connection._execute

    async def counted(self: sqlite.Connection, call: Any, *given: Any, **options: Any) -> Any:
        made.append(str(given[0]) if given else call.__name__)
        return await execute(self, call, *given, **options)

    monkeypatch.setattr(sqlite.Connection, "_execute", counted)
    return made


async def test_a_transaction_makes_one_trip_for_each_statement(
    embedded: Database, trips: list[str]
) -> None:
    async with embedded.write() as session:
        await session.execute(text("CREATE TABLE t (i INTEGER)"))
        await session.execute(text("INSERT INTO t VALUES (:i)"), [{"i": 1}, {"i": 2}])
        trips.clear()
        assert (await session.execute(text("SELECT i FROM t"))).scalars().all() == [1, 2]
    assert trips == ["SELECT i FROM t", "commit", "rollback"]  # the last one by the pool


@pytest.mark.parametrize("number", [0, 1, sqlite.AT_ONCE - 1, sqlite.AT_ONCE, 2500])
async def test_all_rows_come(embedded: Database, number: int) -> None:
    most = {"most": number}
    statement = text("SELECT i FROM (" + MANY.text + ") WHERE i <= :most")
    expected = list(range(1, number + 1))
    async with embedded.engine.connect() as connection:
        assert (await connection.execute(statement, most)).scalars().all() == expected
        streamed = await connection.stream(statement, most)
        assert [i async for (i,) in streamed] == expected
        parts = (await connection.stream(statement, most)).partitions(700)
        assert [i async for part in parts for (i,) in part] == expected


async def test_a_stream_that_is_left_holds_nothing(embedded: Database) -> None:
    async with embedded.write() as session:
        await session.execute(text("CREATE TABLE t (i INTEGER)"))
        await session.execute(text("INSERT INTO t " + MANY.text), {"most": 3000})
    async with embedded.engine.connect() as connection:
        streamed = await connection.stream(text("SELECT i FROM t"))
        assert await streamed.fetchone() == (1,)
        await streamed.close()
    async with embedded.write() as session:
        await session.execute(text("DROP TABLE t"))


async def test_a_failed_statement_leaves_a_good_connection(embedded: Database) -> None:
    async with embedded.engine.connect() as connection:
        with pytest.raises(OperationalError, match="no such table"):
            await connection.execute(text("SELECT * FROM missing"))
        await connection.rollback()
        assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1
