"""Before the first request: schema, identity of the server, first administrator."""

import logging
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import make_url

from arraywright import migrations
from arraywright.auth import repository as auth
from arraywright.auth import users
from arraywright.auth.strength import weakness
from arraywright.kit.clock import Clock
from arraywright.kit.database import Database
from arraywright.kit.failure import StartError
from arraywright.kit.files import give_to_owner
from arraywright.kit.roles import Role
from arraywright.link import repository as link
from arraywright.settings import Settings
from arraywright.storage import search

logger = logging.getLogger(__name__)

FIRST_ADMINISTRATOR = "admin"
SERVER_ID = "server_id"
DEVICE_KEY = "device_key"


def make_state_dir(settings: Settings) -> None:
    try:
        settings.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(
            f"The state directory {settings.state_dir} cannot be made: {error.strerror}."
        ) from error


def make_private_dir(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        give_to_owner(path)
    except OSError as error:
        raise StartError(f"The directory {path} cannot be made: {error.strerror}.") from error


def password_from_file(path: Path, username: str) -> str:
    """Reads the password, or makes one and writes it for its owner only."""
    try:
        if path.exists():
            password = path.read_text().strip()
            if len(password) < 10:
                raise StartError(f"The password in {path} has fewer than 10 characters.")
            why = weakness(password, username)
            if why is not None:
                raise StartError(f"The password in {path} is too easy to guess: {why}.")
            return password
        password = secrets.token_urlsafe(18)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(password + "\n")
    except OSError as error:
        raise StartError(f"The password file {path}: {error.strerror}.") from error
    return password


async def first_administrator(
    database: Database, settings: Settings, clock: Clock, announce: Callable[[str], None]
) -> None:
    """Makes the first administrator if there is no user at all."""
    async with database.write() as session:
        if await auth.count_users(session) > 0:
            return
        file = settings.initial_admin_password_file
        password = (
            password_from_file(file, FIRST_ADMINISTRATOR) if file else secrets.token_urlsafe(18)
        )
        await users.add(
            session,
            clock.now_us(),
            username=FIRST_ADMINISTRATOR,
            role=Role.ADMINISTRATOR,
            password=password,
            name="First administrator",
        )
    if file:
        announce(f"First administrator: {FIRST_ADMINISTRATOR}, password in {file}")
    else:
        announce(f"First administrator: {FIRST_ADMINISTRATOR}, password: {password}")


async def server_id(database: Database) -> UUID:
    """Made once; agents know the server by it."""
    async with database.write() as session:
        known = await link.installation_value(session, SERVER_ID)
        if known is None:
            known = str(uuid4())
            link.add_installation_value(session, SERVER_ID, known)
    return UUID(known)


async def device_key(database: Database) -> str:
    """Made once; signs the cookies by which browsers are known again."""
    async with database.write() as session:
        known = await link.installation_value(session, DEVICE_KEY)
        if known is None:
            known = secrets.token_hex(32)
            link.add_installation_value(session, DEVICE_KEY, known)
    return known


def protect_database(settings: Settings) -> None:
    """The embedded database is its owner's only, also in a directory that was there before."""
    url = make_url(settings.resolved_database_url())
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return
    path = Path(url.database)
    try:
        is_new = not path.exists()
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            if name.exists():
                name.chmod(0o600)
        if is_new:
            give_to_owner(path)
    except OSError as error:
        raise StartError(f"The database {path} cannot be used: {error.strerror}.") from error


async def prepare(settings: Settings, clock: Clock, announce: Callable[[str], None]) -> None:
    make_state_dir(settings)
    protect_database(settings)
    database = Database(settings.resolved_database_url())
    try:
        await migrations.upgrade(database)
        missing = await search.prepare(database)
        if missing is not None:
            logger.warning(
                "searches read all objects, for want of the extension pg_trgm: %s", missing
            )
        await server_id(database)
        await first_administrator(database, settings, clock, announce)
    finally:
        await database.close()
