"""Making a backup, and going back to one."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, make_url, text

from arraywright import __version__, bootstrap, migrations
from arraywright.audit import service as audit
from arraywright.auth import repository as auth
from arraywright.backup import archive, embedded, postgres
from arraywright.backup.manifest import Manifest
from arraywright.commands import recovery
from arraywright.hosts import enrolment
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.settings import Settings

FOLDER = "backups"
STAMP = "%Y%m%dT%H%M%SZ"
ACTOR = "command line"
OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND usename IS NOT NULL"
)


def place_of(settings: Settings) -> tuple[URL, Path | None]:
    """The URL of the database; its file if it is embedded."""
    url = make_url(settings.resolved_database_url())
    if url.get_backend_name() != "sqlite":
        return url, None
    if not url.database or url.database == ":memory:":
        raise StartError("A database in memory cannot be backed up.")
    return url, Path(url.database)


def name_of(settings: Settings) -> str:
    """What to type to confirm that it is replaced."""
    url, file = place_of(settings)
    return file.name if file else str(url.database)


def default_path(settings: Settings, folder: Path | None = None) -> Path:
    made = folder or settings.state_dir / FOLDER
    if folder is None:
        bootstrap.make_state_dir(settings)
        bootstrap.make_private_dir(made)
    return made / f"arraywright-{datetime.now(UTC):{STAMP}}.tar.gz"


@contextmanager
def _workshop(beside: Path) -> Iterator[Path]:
    """A directory for its owner only, on the file system of the result."""
    with tempfile.TemporaryDirectory(prefix=".arraywright-", dir=beside) as folder:
        yield Path(folder)


async def _revision(settings: Settings) -> str:
    async with _opened(settings.resolved_database_url()) as database:
        found = await migrations.current(database)
    if found is None:
        raise StartError("The database is empty: there is nothing to back up.")
    return found


def _check_paths(path: Path, file: Path | None) -> None:
    if path.exists():
        raise StartError(f"{path} exists. Name another file.")
    if not path.parent.is_dir():
        raise StartError(f"There is no directory {path.parent}.")
    if file is not None and not file.exists():
        raise StartError(f"There is no database {file}.")


async def make(settings: Settings, path: Path) -> Manifest:
    """The server may run; what it commits meanwhile is in the backup wholly or not at all."""
    url, file = place_of(settings)
    _check_paths(path, file)
    revision = await _revision(settings)
    made_at = datetime.now(UTC)
    with _workshop(path.parent) as folder:
        copy = folder / ("database.sqlite" if file else "database.dump")
        if file is not None:
            embedded.copy(file, copy)
        else:
            postgres.copy(url, copy)
        if await _revision(settings) != revision:
            raise StartError("The database was migrated meanwhile. Repeat the backup.")
        with copy.open("rb") as opened:
            size, digest = archive.digest_of(opened)
        manifest = Manifest(
            version=__version__,
            revision=revision,
            engine="sqlite" if file else "postgresql",
            made_at=made_at,
            member=copy.name,
            size_bytes=size,
            sha256=digest,
        )
        archive.write(path, manifest, copy)
    return manifest


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    aside: str | None
    """Where the replaced database is; None if there was none."""


def _check_fits(manifest: Manifest, path: Path, url: URL) -> None:
    if manifest.revision not in migrations.revisions():
        raise StartError(
            f"{path} was made by Arraywright {manifest.version} with a newer schema (revision "
            f"{manifest.revision}; this program knows up to {migrations.newest()}). Install that "
            "version."
        )
    if manifest.engine != url.get_backend_name():
        raise StartError(
            f"{path} is a backup of {manifest.engine}, and the database here is "
            f"{url.get_backend_name()}."
        )


def _check_confirmed(settings: Settings, is_empty: bool, replace: str | None) -> None:
    name = name_of(settings)
    if is_empty or replace == name:
        return
    if replace is None:
        raise StartError(f"The database {name} is not empty. To replace it: --replace {name}")
    raise StartError(f"The database is called {name}, not {replace}. Nothing was changed.")


async def restore(settings: Settings, path: Path, *, replace: str | None) -> Restored:
    url, file = place_of(settings)
    stamp = f"{datetime.now(UTC):{STAMP}}"
    if file is None:
        return await _restore_postgres(settings, path, url, replace, f"before_{stamp.lower()}")
    bootstrap.make_state_dir(settings)
    aside = file.with_name(f"{file.name}.before-{stamp}")
    return await _restore_embedded(settings, path, file, replace, aside)


async def _restore_embedded(
    settings: Settings, path: Path, file: Path, replace: str | None, aside: Path
) -> Restored:
    with embedded.held(file), _workshop(file.parent) as folder:
        copy = folder / "database.sqlite"
        manifest = archive.check(path, copy)
        _check_fits(manifest, path, make_url(settings.resolved_database_url()))
        embedded.check(copy)
        is_empty = embedded.is_empty(file)
        _check_confirmed(settings, is_empty, replace)
        async with _opened(f"sqlite+aiosqlite:///{copy}") as database:
            await _settle(database, manifest)
        embedded.put(copy, file, None if is_empty else aside)
        bootstrap.protect_database(settings)
    return Restored(manifest, None if is_empty else str(aside))


async def _restore_postgres(
    settings: Settings, path: Path, url: URL, replace: str | None, aside: str
) -> Restored:
    bootstrap.make_state_dir(settings)
    with _workshop(settings.state_dir) as folder:
        copy = folder / "database.dump"
        manifest = archive.check(path, copy)
        _check_fits(manifest, path, url)
        await _check_alone(settings)
        is_empty = await _is_empty(settings)
        _check_confirmed(settings, is_empty, replace)
        postgres.put(url, copy, aside)
    async with _opened(settings.resolved_database_url()) as database:
        await _settle(database, manifest)
    if is_empty:
        postgres.drop_if_empty(url, aside)
    return Restored(manifest, None if is_empty else f"schema {aside}")


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Database]:
    database = Database(url, as_peer=True)
    try:
        yield database
    finally:
        await database.close()


async def _is_empty(settings: Settings) -> bool:
    async with _opened(settings.resolved_database_url()) as database:
        return await migrations.current(database) is None


async def _check_alone(settings: Settings) -> None:
    async with (
        _opened(settings.resolved_database_url()) as database,
        database.engine.connect() as connection,
    ):
        others = (await connection.execute(OTHERS)).scalar_one()
    if others:
        raise StartError(
            f"Others use the database {name_of(settings)} ({others} connections). Stop the server "
            "first: systemctl stop arraywright-backend"
        )


@asynccontextmanager
async def stopped(settings: Settings) -> AsyncIterator[None]:
    """Fails if a server uses the database."""
    _, file = place_of(settings)
    if file is None:
        await _check_alone(settings)
        yield
        return
    with embedded.held(file):
        yield


async def _settle(database: Database, manifest: Manifest) -> None:
    """What was open when the backup was made may have happened since.

    Commands that may have run are not sent again. Logins and enrollment tokens end: they may have
    been ended, or used up, after the backup.
    """
    await migrations.upgrade(database)
    now_us = Clock().now_us()
    async with database.write() as session:
        await recovery.server_restored(session, now_us)
        await auth.end_every_session(session)
        await enrolment.revoke_usable(session, now_us)
        await audit.record(
            session,
            now_us,
            actor=ACTOR,
            action="database.restore",
            target=f"backup of {manifest.made_at:{STAMP}}",
        )
