"""Copies a database into another, empty one: from SQLite to PostgreSQL.

python -m arraywright.setup.transfer is how `arraywright setup postgresql` does it as the server's
own user. It reads the two URLs from standard input, so that no list of processes shows a password.
"""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Table, func, make_url, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from arraywright import migrations
from arraywright.backup import embedded
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.models import Base, User

BATCH = 1000
Row = dict[str, Any]


def _own_reference(table: Table) -> str | None:
    """The column that references another row of the same table."""
    for column in table.columns:
        if any(key.column.table is table for key in column.foreign_keys):
            return column.name
    return None


def _parents_first(rows: Sequence[Row], reference: str) -> Iterator[Row]:
    known: set[Any] = {None}
    left = list(rows)
    while left:
        ready = [row for row in left if row[reference] in known]
        if not ready:
            raise StartError("Rows reference each other in a circle; nothing was copied.")
        yield from ready
        known |= {row["id"] for row in ready}
        left = [row for row in left if row["id"] not in known]


async def _copy_table(source: AsyncConnection, target: AsyncConnection, table: Table) -> int:
    reference = _own_reference(table)
    if reference is not None:
        rows = [dict(row) for row in (await source.execute(select(table))).mappings()]
        ordered = list(_parents_first(rows, reference))
        for row in ordered:
            await target.execute(table.insert(), row)
        return len(ordered)
    number = 0
    found = await source.stream(select(table))
    async for part in found.mappings().partitions(BATCH):
        await target.execute(table.insert(), [dict(row) for row in part])
        number += len(part)
    return number


async def _continue_numbering(target: AsyncConnection, table: Table) -> None:
    """The next number that the database gives is above all that were copied."""
    column = table.autoincrement_column
    if column is None or target.dialect.name != "postgresql":
        return
    highest = (await target.execute(select(func.max(column)))).scalar()
    if highest is not None:
        await target.execute(
            text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest)"),
            {"table": table.name, "column": column.name, "highest": highest},
        )


async def is_used(database: Database) -> bool:
    """It belongs to a server already: there is somebody who can log in."""
    if await migrations.current(database) is None:
        return False
    async with database.engine.connect() as connection:
        count = await connection.execute(select(func.count()).select_from(User.__table__))
        return count.scalar_one() > 0


async def transfer(source: Database, target: Database) -> int:
    """The number of rows; all of them, or none. The source is not changed but for its schema."""
    await migrations.upgrade(source)
    await migrations.upgrade(target)
    if await is_used(target):
        raise StartError("The new database already has the data of a server; nothing was copied.")
    number = 0
    async with source.engine.connect() as reading, target.engine.begin() as writing:
        for table in Base.metadata.sorted_tables:
            await writing.execute(table.delete())
            number += await _copy_table(reading, writing, table)
            await _continue_numbering(writing, table)
    return number


async def _main(source_url: str, target_url: str) -> int:
    file = make_url(source_url).database
    assert file is not None
    source, target = Database(source_url), Database(target_url)
    with embedded.held(Path(file)):
        try:
            return await transfer(source, target)
        finally:
            await source.close()
            await target.close()


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{asyncio.run(_main(*sys.stdin.read().split()))}\n")
    except StartError as failure:
        sys.exit(str(failure))
    except (SQLAlchemyError, OSError) as failure:
        sys.exit(f"The database cannot be used: {failure}")
