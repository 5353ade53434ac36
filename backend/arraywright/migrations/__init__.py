"""Schema changes, forward and back, run on SQLite and PostgreSQL alike.

Each change is one transaction. SQLite enforces no foreign keys meanwhile: Alembic rebuilds a table
by dropping the old one, and SQLite would then delete every row that references it. What the change
leaves behind is checked before it is committed.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection

from arraywright.kit.database import Database
from arraywright.kit.failure import StartError


def configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return config


@cache
def revisions() -> tuple[str, ...]:
    """All that this program knows, the newest first."""
    scripts = ScriptDirectory.from_config(configuration())
    return tuple(script.revision for script in scripts.walk_revisions())


def newest() -> str:
    return revisions()[0]


async def current(database: Database) -> str | None:
    """The schema of the database; None if it is empty."""
    async with database.engine.connect() as connection:
        return await connection.run_sync(_current)


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


async def upgrade(database: Database) -> None:
    """Brings the schema up to date."""
    async with changing(database) as connection:
        _known(await connection.run_sync(_current))
        await connection.run_sync(step(command.upgrade, "head"))


async def downgrade(database: Database, to: str) -> None:
    """Brings the schema back to an older one, before an older version is installed."""
    if to not in revisions():
        raise StartError(f"There is no revision {to}, only {', '.join(revisions()[::-1])}.")
    async with changing(database) as connection:
        found = _known(await connection.run_sync(_current))
        if found is None or to > found:
            raise StartError(
                f"The database has {f'revision {found}' if found else 'no tables'}; "
                f"there is no way back to {to}."
            )
        await connection.run_sync(step(command.downgrade, to))


def _known(found: str | None) -> str | None:
    if found is not None and found not in revisions():
        raise StartError(
            f"A newer version of Arraywright made this database (revision {found}). Install that "
            "version, or restore a backup made before it."
        )
    return found


def step(change: Callable[[Config, str], None], to: str) -> Callable[[Connection], None]:
    def run(connection: Connection) -> None:
        config = configuration()
        config.attributes["connection"] = connection
        change(config, to)

    return run


@asynccontextmanager
async def changing(database: Database) -> AsyncIterator[AsyncConnection]:
    """A transaction in which tables may be rebuilt."""
    engine = database.engine.execution_options(immediate=True)
    async with engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            async with connection.begin():
                yield connection
            return
        # The pragma does nothing inside a transaction.
        raw = (await connection.get_raw_connection()).driver_connection
        assert raw is not None
        await raw.execute("PRAGMA foreign_keys=OFF")
        try:
            async with connection.begin():
                yield connection
                left = (await connection.exec_driver_sql("PRAGMA foreign_key_check")).all()
                if left:
                    raise StartError(f"Table {left[0][0]} references rows that do not exist.")
        finally:
            await connection.invalidate()  # the next user gets one that enforces foreign keys
