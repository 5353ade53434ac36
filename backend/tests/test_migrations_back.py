"""The schema goes back step by step with data in every table, and forward again."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import JSON, BigInteger, Boolean, Connection, Float, Table, Uuid, inspect, text

from arraywright import migrations
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.models import Base
from arraywright.settings import Settings
from tests.conftest import on_postgres
from tests.test_migrations import differences, is_modelled

pytestmark = pytest.mark.anyio

DERIVED = {"host_summary": {"worst_state", "drives_failed"}, "object_state": {"search"}}
"""Made anew of what else is there, by the rules of the version."""
Rows = dict[str, dict[tuple[Any, ...], dict[str, Any]]]


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    made = Database(settings.resolved_database_url())
    yield made
    await made.close()


@pytest.fixture
async def empty(
    anyio_backend: object, template: tuple[str, Path], tmp_path: Path
) -> AsyncIterator[Database]:
    kind, place = template
    if kind == "sqlite":
        made = Database(f"sqlite+aiosqlite:///{tmp_path / 'empty.sqlite'}")
        yield made
        await made.close()
        return
    name = f"t{uuid4().hex}"
    await on_postgres(place, f"CREATE DATABASE {name}")
    made = Database(f"postgresql+asyncpg://postgres@/{name}?host={place}")
    yield made
    await made.close()
    await on_postgres(place, f"DROP DATABASE {name} WITH (FORCE)")


def value(column: Any, number: int) -> Any:
    """A different one for each row and column, so that one lost or moved is noticed."""
    kind = column.type
    if isinstance(kind, Uuid):
        return UUID(int=number * 1000 + sum(map(ord, column.name)))
    if isinstance(kind, Boolean):
        return number % 2 == 0
    if isinstance(kind, JSON):
        return {"of": column.name, "number": number}
    if isinstance(kind, Float):
        return number + 0.5
    if isinstance(kind, BigInteger):
        return number
    return f"{number}-{column.name}"[: kind.length]


def fill_table(connection: Connection, table: Table) -> None:
    for number in (1, 2):
        row = {}
        for column in table.columns:
            if not column.foreign_keys:
                row[column.name] = value(column, number)
                continue
            of = next(iter(column.foreign_keys)).column
            row[column.name] = None if of.table is table else value(of, number)
        if table.name == "api_token":
            row |= {"read_only": False, "host_ids": []}
        connection.execute(table.insert(), row)


def fill(connection: Connection) -> None:
    for table in Base.metadata.sorted_tables:
        fill_table(connection, table)
    token = Base.metadata.tables["api_token"]
    known = connection.execute(token.select()).mappings().first()
    assert known is not None
    for number, narrowed in enumerate(
        ({"read_only": True}, {"parent_id": known["id"]}, {"host_ids": [str(uuid4())]})
    ):
        row = {**known, "id": UUID(int=77 + number), "digest": f"narrowed {number}"}
        connection.execute(token.insert(), {**row, **narrowed})


def rows(connection: Connection) -> Rows:
    found: Rows = {}
    look = inspect(connection)
    for name in filter(is_modelled, look.get_table_names()):
        keys = look.get_pk_constraint(name)["constrained_columns"]
        taken = connection.execute(text(f"SELECT * FROM {name}")).mappings()
        found[name] = {tuple(str(row[key]) for key in keys): dict(row) for row in taken}
    del found["alembic_version"]
    return found


def _texts(options: Any) -> dict[str, str]:
    """Of the conditions of indexes: as objects they are never the same."""
    return {name: str(value) for name, value in (options or {}).items()}


def schema(connection: Connection) -> dict[str, Any]:
    """Everything that must be the same, whichever way a schema was reached."""
    look = inspect(connection)
    return {
        name: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in look.get_columns(name)
            },
            "key": look.get_pk_constraint(name)["constrained_columns"],
            "references": {str(each["name"]): each for each in look.get_foreign_keys(name)},
            "unique": {str(each["name"]): each for each in look.get_unique_constraints(name)},
            "indexes": {
                str(each["name"]): {**each, "dialect_options": _texts(each.get("dialect_options"))}
                for each in look.get_indexes(name)
                if is_modelled(each["name"])
            },
        }
        for name in look.get_table_names()
    }


async def asked(database: Database, question: Any) -> Any:
    async with database.engine.connect() as connection:
        return await connection.run_sync(question)


async def written(database: Database, change: Any) -> None:
    async with database.engine.begin() as connection:
        await connection.run_sync(change)


def kept(before: Rows, after: Rows) -> None:
    """Each row that an older version can hold is there, with each column it has."""
    for table, known in after.items():
        lost = set(before[table]) - set(known)
        if table != "api_token":
            assert not lost, f"{table} lost {lost}"
        for key, row in known.items():
            was = before[table][key]
            common = (row.keys() & was.keys()) - DERIVED.get(table, set())
            assert {name: row[name] for name in common} == {name: was[name] for name in common}


async def test_back_and_forward_with_data(database: Database, empty: Database) -> None:
    oldest_first = migrations.revisions()[::-1]
    expected = {}
    for revision in oldest_first:
        async with migrations.changing(empty) as connection:
            await connection.run_sync(migrations.step(command.upgrade, revision))
        expected[revision] = await asked(empty, schema)
    await written(database, fill)
    full = await asked(database, rows)
    assert all(full.values()), "a table has no row"
    before = full
    for revision in oldest_first[-2::-1]:
        await migrations.downgrade(database, revision)
        assert await migrations.current(database) == revision
        assert await asked(database, schema) == expected[revision], revision
        after = await asked(database, rows)
        kept(before, after)
        before = after
    await migrations.upgrade(database)
    assert await asked(database, differences) == []
    assert await asked(database, schema) == expected[oldest_first[-1]]
    again = await asked(database, rows)
    # An older version would take a narrowed token for a wider one.
    lasting = expected[oldest_first[0]].keys() - {"alembic_version", "api_token"}
    assert all(again[table].keys() == full[table].keys() for table in lasting)


async def test_figures_of_health_follow_the_version(database: Database) -> None:
    await written(database, fill)
    changes = (
        "UPDATE object_state SET deleted = FALSE, kind = 'controller', state = 'needs_attention'",
        "UPDATE object_state SET kind = 'drive', state = 'missing' WHERE size_bytes = 2",
        "UPDATE object_state SET host_id = (SELECT host_id FROM object_state LIMIT 1)",
    )
    for change in changes:
        await written(database, lambda c, change=change: c.execute(text(change)))
    figures = (
        "SELECT worst_state, drives_failed FROM host_summary "
        "WHERE host_id = (SELECT host_id FROM object_state LIMIT 1)"
    )
    seen = []
    for revision in ("0009", "head"):
        if revision == "head":
            await migrations.upgrade(database)
        else:
            await migrations.downgrade(database, revision)
        seen.append(tuple(await asked(database, lambda c: c.execute(text(figures)).one())))
    # The missing drive is in no finding.
    assert seen == [(None, 1), ("needs_attention", 0)]


async def test_a_narrowed_token_is_never_widened(database: Database) -> None:
    await written(database, fill)
    await migrations.downgrade(database, "0007")
    names = "SELECT digest FROM api_token WHERE digest LIKE 'narrowed%' ORDER BY digest"
    found = await asked(database, lambda c: c.execute(text(names)).scalars().all())
    assert found == ["narrowed 0", "narrowed 1"]  # not the one limited to hosts
    await migrations.downgrade(database, "0004")
    assert await asked(database, lambda c: c.execute(text(names)).scalars().all()) == []


async def test_a_newer_schema_is_refused(database: Database) -> None:
    change = text("UPDATE alembic_version SET version_num = '9999'")
    await written(database, lambda c: c.execute(change))
    with pytest.raises(StartError, match="A newer version of Arraywright"):
        await migrations.upgrade(database)
    with pytest.raises(StartError, match="revision 9999"):
        await migrations.downgrade(database, "0007")


async def test_nonsense_is_refused(database: Database) -> None:
    with pytest.raises(StartError, match="There is no revision 12"):
        await migrations.downgrade(database, "12")
    await migrations.downgrade(database, "0006")
    with pytest.raises(StartError, match="no way back to 0007"):
        await migrations.downgrade(database, "0007")
