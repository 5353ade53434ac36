"""The database of a command: opened, and closed however the command ends."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from arraywright import bootstrap, migrations
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.settings import Settings

ACTOR = "command line"
T = TypeVar("T")
Work = Callable[[Database], Awaitable[T]]


async def _open(settings: Settings, work: Work[T]) -> T:
    bootstrap.make_state_dir(settings)
    bootstrap.protect_database(settings)
    database = Database(settings.resolved_database_url(), as_peer=True)
    try:
        return await work(database)
    finally:
        await database.close()


def with_database(settings: Settings, work: Work[T]) -> T:
    """Whatever the schema of the database is."""
    return asyncio.run(_open(settings, work))


def with_current_database(settings: Settings, work: Work[T]) -> T:
    """An empty database is set up; an older one is left alone until somebody migrates it."""

    async def checked(database: Database) -> T:
        found = await migrations.current(database)
        if found is None:
            await migrations.upgrade(database)
        elif found != migrations.newest():
            raise StartError(
                f"The database has revision {found}, this program needs {migrations.newest()}. "
                "Run: arraywright migrate"
            )
        return await work(database)

    return asyncio.run(_open(settings, checked))
