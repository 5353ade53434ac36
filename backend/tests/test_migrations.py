"""Migrations make what the models say, on both databases."""

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect

from arraywright import migrations
from arraywright.kit.database import Database
from arraywright.models import Base
from arraywright.settings import Settings
from arraywright.storage import search
from arraywright.storage.models import LARGEST_FIRST

pytestmark = pytest.mark.anyio


def is_modelled(name: str | None) -> bool:
    """The index of searches is no table of the models; see `storage.search`."""
    return name is None or not name.startswith((*search.TABLES, search.INDEX, LARGEST_FIRST))


def _compared(_object: Any, name: str | None, _kind: str, _reflected: bool, _other: Any) -> bool:
    return is_modelled(name)


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(
        connection, opts={"compare_type": True, "include_object": _compared}
    )
    return list(compare_metadata(context, Base.metadata))


async def test_models_and_migrations_agree(settings: Settings) -> None:
    database = Database(settings.resolved_database_url())
    async with database.engine.connect() as connection:
        assert await connection.run_sync(differences) == []
        tables = await connection.run_sync(
            lambda c: set(filter(is_modelled, inspect(c).get_table_names()))
        )
    assert set(Base.metadata.tables) | {"alembic_version"} == tables
    await migrations.upgrade(database)  # again: nothing to do
    await database.close()


async def test_sqlite_is_durable(settings: Settings) -> None:
    if not settings.resolved_database_url().startswith("sqlite"):
        return
    database = Database(settings.resolved_database_url())
    async with database.engine.connect() as connection:
        for pragma, value in (("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)):
            found = await connection.exec_driver_sql(f"PRAGMA {pragma}")
            assert found.scalar_one() == value
    await database.close()
